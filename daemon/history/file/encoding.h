/*
 * The form of a text on disk: line endings and encoding. In transcripts all
 * texts have "\n" and UTF-8, whatever the file has. Only real bytes (the disk,
 * a backup, a Write's content) show the form.
 */
#ifndef CCFC_HISTORY_FILE_ENCODING_H
#define CCFC_HISTORY_FILE_ENCODING_H

#include "base/buf.h"

enum ccfc_eol { CCFC_EOL_LF, CCFC_EOL_CRLF };
enum ccfc_encoding { CCFC_UTF8, CCFC_UTF16LE };

struct ccfc_form {
	enum ccfc_eol eol;
	enum ccfc_encoding encoding;
	/*
	 * Encoding the text does not reproduce the bytes: there are both kinds
	 * of line endings, or invalid text. `eol` is then the majority's.
	 */
	bool mixed;
};

/*
 * Bytes to text, as the client reads a file: "\r\n" becomes "\n"; UTF-16LE (by
 * its byte order mark) becomes UTF-8; invalid bytes become U+FFFD. Replaces the
 * content of `text`.
 */
void ccfc_form_decode(struct ccfc_buf *text, struct ccfc_form *form,
		      struct ccfc_slice bytes);

/* Text to bytes; `form` is not mixed. Replaces the content of `bytes`. */
void ccfc_form_encode(struct ccfc_buf *bytes, const struct ccfc_form *form,
		      struct ccfc_slice text);

#endif
