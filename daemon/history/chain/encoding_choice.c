/*
 * Line endings and encodings of a chain's states; transcripts do not record
 * them. They are known from backups, from the disk, and from files that a Write
 * created. From these states they are carried to the neighbours: Claude Code
 * keeps a file's form when it edits (in a mixed file, the majority's), and
 * never writes mixed line endings. Nothing is carried over an outside step.
 */
#include "history/chain/chain.h"

#include <stdlib.h>

/* Up to this version, Write keeps the file's line endings. */
#define KEEPS_UP_TO 201000050u /* 2.1.50 */
/* From this version on, Write writes the content's line endings. */
#define AS_IS_FROM 201000100u /* 2.1.100 */

/* "2.1.50" as 201000050; 0 if it is not a version. */
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

static uint32_t client_version_of(const struct ccfc_chain *chain,
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

/*
 * The form in which Claude Code writes the file back. A file without newlines
 * gets "\n".
 */
static struct ccfc_form form_written_back(const struct ccfc_side_state *before)
{
	struct ccfc_form form = before->form;

	form.mixed = false;
	if (!before->has_lines)
		form.eol = CCFC_EOL_LF;
	return form;
}

/*
 * A Write's form. Older versions keep the file's line endings if the content
 * has only "\n"; otherwise the content's own are written.
 */
static void set_form_of_write(const struct ccfc_chain *chain,
			      struct ccfc_node *node)
{
	const struct ccfc_side_state *before = &node->before;
	struct ccfc_form own = node->own, kept = form_written_back(before);
	uint32_t client = client_version_of(chain, node);
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
 * Do the recorded lines have the file's line endings? Lines without "\r" may
 * have had one: git may remove it before it compares.
 */
static bool has_eol_of_file(const struct ccfc_node *node, enum ccfc_eol eol)
{
	if (eol == CCFC_EOL_LF)
		return !node->with_cr;
	return node->with_cr && !node->without_cr;
}

/*
 * The form after a shell command. A whole written file has the form of its
 * content; changed lines are assumed to have the file's line endings.
 */
static void set_form_of_shell(struct ccfc_node *node)
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
				 has_eol_of_file(node, before->form.eol));
	else if (!before->exists && node->from_text)
		set_form(after, &(struct ccfc_form){ 0 }, true);
}

/*
 * Copies the form of the state that the change was made from, if a change left
 * that state.
 */
static void copy_form_of_previous(struct ccfc_chain *chain, uint32_t i)
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

static void choose_forms_forwards(struct ccfc_chain *chain)
{
	for (uint32_t i = 0; i < chain->n; i++) {
		struct ccfc_node *node = &chain->nodes[i];
		struct ccfc_side_state *b = &node->before, *a = &node->after;

		if (b->how == CCFC_HOW_SAME)
			b->has_form = b->form_proven = false;
		if (!b->has_form && i)
			copy_form_of_previous(chain, i);
		if (node->is_shell) {
			set_form_of_shell(node);
		} else if (node->whole) {
			if (!a->form_proven)
				set_form_of_write(chain, node);
		} else if (b->has_form && a->how != CCFC_HOW_DISK) {
			struct ccfc_form form = form_written_back(b);

			/*
			 * A file that an edit created has "\n", in UTF-8: the
			 * form of the edit's strings.
			 */
			set_form(a, &form, b->form_proven);
		} else if (b->how != CCFC_HOW_NOT && !b->exists) {
			set_form(a, &(struct ccfc_form){ 0 }, true);
		}
	}
}

/* Merges the form that a later state gives for the same state. */
static void merge_later_form(struct ccfc_side_state *s,
			     const struct ccfc_form *form, bool proven)
{
	if (form->mixed)
		return;
	if (!s->has_form || (!s->form_proven && proven))
		set_form(s, form, proven);
	else if (s->how != CCFC_HOW_COPY && !s->seen &&
		 s->form.eol != form->eol)
		/* Somebody changed the line endings at an unknown time. */
		s->form_proven = false;
}

static void choose_forms_backwards(struct ccfc_chain *chain)
{
	const struct ccfc_node *next = NULL;

	for (uint32_t i = chain->n; i-- > 0; next = &chain->nodes[i]) {
		struct ccfc_node *node = &chain->nodes[i];
		struct ccfc_side_state *b = &node->before, *a = &node->after;

		if (!next && chain->last_gap == CCFC_GAP_NONE &&
		    chain->disk.exists)
			merge_later_form(a, &chain->disk_form,
					 chain->disk.mtime <= node->time);
		if (next && next->gap == CCFC_GAP_NONE && next->before.has_form)
			merge_later_form(a, &next->before.form,
					 next->before.form_proven);
		/*
		 * What Claude Code wrote before is not mixed. What others wrote
		 * may have been mixed. A Write may have changed the form.
		 */
		if (a->has_form && a->has_lines && !node->whole &&
		    !node->is_shell)
			merge_later_form(b, &a->form,
					 a->form_proven && i &&
						 node->gap == CCFC_GAP_NONE);
	}
}

void ccfc_replay_forms(struct ccfc_chain *chain)
{
	choose_forms_forwards(chain);
	choose_forms_backwards(chain);
	/* Forms found backwards may decide later states too. */
	choose_forms_forwards(chain);
	for (uint32_t i = 0; i < chain->n; i++) {
		struct ccfc_node *node = &chain->nodes[i];

		node->as_is =
			node->whole && (!node->after.has_form ||
					node->after.form.eol == node->own.eol);
	}
}
