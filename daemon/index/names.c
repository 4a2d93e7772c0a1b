/*
 * Further names of a transcript: symbolic and hard links to it, and names that
 * lead to it through a linked directory. A source has one path, its first name;
 * the others are here. Each scan finds them again, so they are not stored. Rows
 * of vanished names stay, since the path may come back, and the map finds them.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "index/index.h"

CCFC_TABLE_FIND(find_alias, aliases, struct ccfc_alias, struct ccfc_slice,
		ccfc_slice_eq(ccfc_index_str(index, r->path), *k))

static struct ccfc_alias *alias_by_path(const struct ccfc_index *index,
					struct ccfc_slice path)
{
	uint32_t id = find_alias(index, ccfc_hash_slice(path), &path);

	return id == CCFC_ID_NONE ? NULL : &index->aliases.items[id];
}

static struct ccfc_alias *make_alias(struct ccfc_index *index,
				     struct ccfc_slice path)
{
	struct ccfc_alias fresh = {
		.path = ccfc_strtab_put(&index->strings, path),
		.source = CCFC_ID_NONE,
	};

	ccfc_map_put(&index->aliases.map, ccfc_hash_slice(path),
		     index->aliases.n);
	CCFC_VEC_PUSH(index->aliases, fresh);
	return &index->aliases.items[index->aliases.n - 1];
}

void ccfc_index_alias_put(struct ccfc_index *index, uint32_t source,
			  struct ccfc_slice path, const struct ccfc_name *name)
{
	struct ccfc_alias *alias;

	index->revision++;
	ccfc_index_alias_drop(index, path);
	alias = alias_by_path(index, path);
	if (!alias)
		alias = make_alias(index, path);
	alias->source = source;
	alias->session = ccfc_strtab_put(&index->strings, name->session);
	alias->agent = ccfc_strtab_put(&index->strings, name->agent);
	alias->is_agent = name->kind == CCFC_NAME_AGENT;
	index->sources.items[source].aliases++;
}

void ccfc_index_alias_drop(struct ccfc_index *index, struct ccfc_slice path)
{
	struct ccfc_alias *alias = alias_by_path(index, path);

	if (!alias || alias->source == CCFC_ID_NONE)
		return;
	index->revision++;
	index->sources.items[alias->source].aliases--;
	alias->source = CCFC_ID_NONE;
}

uint32_t ccfc_index_alias_find(const struct ccfc_index *index,
			       struct ccfc_slice path)
{
	const struct ccfc_alias *alias = alias_by_path(index, path);

	return alias ? alias->source : CCFC_ID_NONE;
}

uint32_t ccfc_index_source_named(const struct ccfc_index *index,
				 struct ccfc_slice path)
{
	uint32_t source = ccfc_index_alias_find(index, path);

	return source != CCFC_ID_NONE ? source
				      : ccfc_index_source_find(index, path);
}

const struct ccfc_alias *ccfc_index_alias_next(const struct ccfc_index *index,
					       uint32_t source, uint32_t *at)
{
	if (!index->sources.items[source].aliases)
		return NULL;
	while (*at < index->aliases.n) {
		const struct ccfc_alias *alias = &index->aliases.items[(*at)++];

		if (alias->source == source)
			return alias;
	}
	return NULL;
}

struct ccfc_name ccfc_index_alias_name(const struct ccfc_index *index,
				       const struct ccfc_alias *alias)
{
	return (struct ccfc_name){
		.kind = alias->is_agent ? CCFC_NAME_AGENT : CCFC_NAME_SESSION,
		.session = ccfc_index_str(index, alias->session),
		.agent = ccfc_index_str(index, alias->agent),
	};
}
