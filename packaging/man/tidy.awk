# What scdoc writes, as mandoc and groff want it: no paragraphs that are empty
# (one in front of .RE stands for the space after it), no lines of more than 80
# bytes, a minus where a user would type one, and no hyphens in names (scdoc
# says .nh too early: .TH takes it back).

function emit(line) {
	if (para && !after_heading)
		print ".P"
	para = after_heading = 0
	print line
}

# Breaks at spaces; a line must not begin with a character that roff takes as
# the start of a macro.
function wrap(line,	at, cut) {
	while (length(line) > 78) {
		cut = 0
		for (at = 1; at < length(line); at++) {
			if (at > 78 && cut)
				break
			if (substr(line, at, 1) == " " &&
			    substr(line, at + 1, 1) !~ /[.' ]/)
				cut = at
		}
		if (!cut)
			break
		emit(substr(line, 1, cut - 1))
		line = substr(line, cut + 1)
	}
	emit(line)
}

$0 == ".P" { para = 1; next }
$0 == ".RE" { print; next }
/^\.S[HS]/ { para = 0; emit($0); after_heading = 1; next }
$0 == ".nf" { literal = 1 }
$0 == ".fi" { literal = 0 }
/^\.TH/ { emit($0 "\n.nh"); next }
/^\.[A-Za-z\\]/ { emit($0); next }
# The bullet of a list: its minus is a number's.
/^\\h'-/ { emit($0); next }
{ gsub(/-/, "\\-") }
literal { emit($0); next }
{ wrap($0) }
