/*
 * Line endings and encodings of a chain's states, which no transcript has. Real
 * bytes are known from backups, the disk, and files that a Write made. From
 * there forms are carried along: the client keeps a file's form (for a mixed
 * file, the majority's), so an edit keeps the form, and a file written by the
 * client is never mixed. Nothing is carried over an outside step.
 */
#include "history/chain/chain.h"

#include <stdlib.h>

/* Write keeps the file's line endings up to this version … */
#define KEEPS_UP_TO 201000050u /* 2.1.50 */
/* … and writes those of its content from this one on. */
#define AS_IS_FROM 201000100u /* 2.1.100 */

/* "2.1.50" as 201000050; 0 when it is no version. */
static uint32_t version_number(struct ccfc_slice s)
{
	uint32_t part[3] = { 0 }, n = 0;

	for (size_t i = 0; i < s.len && n < 3; i++) {
		if (s.ptr[i] == '.')
			n++;
		else if (s.ptr[i] >= '0' && s.ptr[i] <= '9')
			part[n] = part[n] * 10 + (uint32_t)(s.ptr[i] - '0');
		else
			break;
		if (n < 3 && part[n] > 99999)
			return 0;
	}
	return part[0] * 100000000 + part[1] * 1000000 + part[2];
}

static uint32_t client_of(const struct ccfc_chain *chain,
			  const struct ccfc_node *node)
{
	const struct ccfc_index *index = chain->history->env.index;
	const struct ccfc_change *change = &index->changes.items[node->change];

	return version_number(ccfc_index_str(index, change->call.version));
}

static void set_form(struct ccfc_side_state *to, const struct ccfc_form *form,
		     bool proven)
{
	to->form = *form;
	to->has_form = true;
	to->form_proven = proven;
}

/* What the client makes of such a file: of one without lines, "\n". */
static struct ccfc_form written_back(const struct ccfc_side_state *before)
{
	struct ccfc_form form = before->form;

	form.mixed = false;
	if (!before->has_lines)
		form.eol = CCFC_EOL_LF;
	return form;
}

/*
 * A Write's: up to some version that of the file, if the content has "\n"
 * only; else the content's own.
 */
static void form_of_whole(const struct ccfc_chain *chain,
			  struct ccfc_node *node)
{
	const struct ccfc_side_state *before = &node->before;
	struct ccfc_form own = node->own, kept = written_back(before);
	uint32_t client = client_of(chain, node);
	bool fresh = before->how != CCFC_HOW_NOT && !before->exists;

	if (before->has_form)
		own.encoding = before->form.encoding;
	if (fresh || client >= AS_IS_FROM || own.eol == CCFC_EOL_CRLF ||
	    own.mixed)
		set_form(&node->after, &own, fresh || before->has_form);
	else if (before->has_form && kept.eol == CCFC_EOL_LF)
		set_form(&node->after, &own, before->form_proven);
	else if (before->has_form)
		set_form(&node->after, &kept,
			 before->form_proven && client &&
				 client <= KEEPS_UP_TO);
}

/*
 * Are the line endings of a shell's lines those of the file before? Lines
 * without a "\r" may have had one: git can take it out of what it compares.
 */
static bool is_like(const struct ccfc_node *node, enum ccfc_eol eol)
{
	if (eol == CCFC_EOL_LF)
		return !node->with_cr;
	return node->with_cr && !node->without_cr;
}

/*
 * A command does to a file what it likes. What it wrote whole has its own
 * form; where it changed lines, these may be like the others.
 */
static void form_of_shell(struct ccfc_node *node)
{
	const struct ccfc_side_state *before = &node->before;
	struct ccfc_side_state *after = &node->after;

	if (!after->exists || after->how == CCFC_HOW_NOT ||
	    after->how == CCFC_HOW_DISK || after->how == CCFC_HOW_SAME ||
	    after->form_proven)
		return;
	if (node->whole)
		set_form(after, &node->own, node->from_text || node->with_cr);
	else if (before->has_form && node->rule == CCFC_RULE_SAME)
		set_form(after, &before->form, before->form_proven);
	else if (before->has_form && !before->form.mixed)
		set_form(after, &before->form,
			 before->form_proven &&
				 is_like(node, before->form.eol));
	else if (!before->exists && node->from_text)
		set_form(after, &(struct ccfc_form){ 0 }, true);
}

/* That of the state that the change was made from, if a change left it. */
static void form_of_last(struct ccfc_chain *chain, uint32_t i)
{
	struct ccfc_node *node = &chain->nodes[i];
	const struct ccfc_side_state *last = &node[-1].after;

	if (node->gap == CCFC_GAP_OVERWRITTEN && node->back % 2)
		last = &chain->nodes[node->back / 2].after;
	else if (node->gap != CCFC_GAP_NONE)
		return;
	if (last->has_form)
		set_form(&node->before, &last->form, last->form_proven);
}

static void choose_forwards(struct ccfc_chain *chain)
{
	for (uint32_t i = 0; i < chain->n; i++) {
		struct ccfc_node *node = &chain->nodes[i];
		struct ccfc_side_state *b = &node->before, *a = &node->after;

		if (b->how == CCFC_HOW_SAME)
			b->has_form = b->form_proven = false;
		if (!b->has_form && i)
			form_of_last(chain, i);
		if (node->is_shell) {
			form_of_shell(node);
		} else if (node->whole) {
			if (!a->form_proven)
				form_of_whole(chain, node);
		} else if (b->has_form && a->how != CCFC_HOW_DISK) {
			struct ccfc_form form = written_back(b);

			/* A file that an edit made has the edit's own. */
			set_form(a, &form, b->form_proven);
		} else if (b->how != CCFC_HOW_NOT && !b->exists) {
			set_form(a, &(struct ccfc_form){ 0 }, true);
		}
	}
}

/* What is known of the same state from behind. */
static void meet_form(struct ccfc_side_state *s, const struct ccfc_form *form,
		      bool proven)
{
	if (form->mixed)
		return;
	if (!s->has_form || (!s->form_proven && proven))
		set_form(s, form, proven);
	else if (s->how != CCFC_HOW_COPY && !s->seen &&
		 s->form.eol != form->eol)
		/* Somebody changed the endings, nobody knows when. */
		s->form_proven = false;
}

static void choose_backwards(struct ccfc_chain *chain)
{
	const struct ccfc_node *next = NULL;

	for (uint32_t i = chain->n; i-- > 0; next = &chain->nodes[i]) {
		struct ccfc_node *node = &chain->nodes[i];
		struct ccfc_side_state *b = &node->before, *a = &node->after;

		if (!next && chain->last_gap == CCFC_GAP_NONE &&
		    chain->disk.exists)
			meet_form(a, &chain->disk_form,
				  chain->disk.mtime <= node->time);
		if (next && next->gap == CCFC_GAP_NONE && next->before.has_form)
			meet_form(a, &next->before.form,
				  next->before.form_proven);
		/* What a client wrote before is not mixed; what anybody else
		 * wrote may have been. A Write may have changed the form. */
		if (a->has_form && a->has_lines && !node->whole &&
		    !node->is_shell)
			meet_form(b, &a->form,
				  a->form_proven && i &&
					  node->gap == CCFC_GAP_NONE);
	}
}

void ccfc_replay_forms(struct ccfc_chain *chain)
{
	choose_forwards(chain);
	choose_backwards(chain);
	/* What came from behind may help those in front. */
	choose_forwards(chain);
	for (uint32_t i = 0; i < chain->n; i++) {
		struct ccfc_node *node = &chain->nodes[i];

		node->as_is =
			node->whole && (!node->after.has_form ||
					node->after.form.eol == node->own.eol);
	}
}
