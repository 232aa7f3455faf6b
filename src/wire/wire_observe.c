/*
 * wire_observe.c
 *	  What a request was about and what it did, for whoever watches.
 *
 * Names are found by the model, so that no operation has to tell them; units
 * and items are told by those that count them anyway.
 */
#include "postgres.h"

#include "wire/wire_private.h"

WireObservation wire_observation;
const WireObserver *wire_observer = NULL;

static void find_names(const WireType *type, const void *value);
static void add_map_tables(const WireMap *map, int max);
static void add_table(const ApiText *name);
static WireTableUse *find_table(const ApiText *name);

/* The request has been decoded and is about to be run. */
void
wire_observe_request(const char *operation, const WireType *model,
					 const void *request)
{
	memset(&wire_observation, 0,
		   offsetof(WireObservation, tables));
	wire_observation.operation = operation;
	if (wire_observer == NULL)
		return;
	find_names(model, request);
	if (wire_observer->begin != NULL)
		wire_observer->begin(&wire_observation);
}

/* "value" is a decoded value; of a structure, the structure itself. */
static void
find_names(const WireType *type, const void *value)
{
	/* of lists and maps that are too long, only "max" have been kept */
	for (const WireMember *m = type->members; m->name != NULL; m++)
	{
		const void *member = (const char *) value + m->offset;

		switch (m->type->kind)
		{
			case WIRE_TABLE:
				add_table(member);
				break;
			case WIRE_TEXT:
				if (strcmp(m->name, "IndexName") == 0)
				{
					wire_observation.index_name = ((const ApiText *) member)->data;
					wire_observation.index_name_len = ((const ApiText *) member)->len;
				}
				break;
			case WIRE_STRUCTURE:
				if (*(const void *const *) member != NULL)
					find_names(m->type, *(const void *const *) member);
				break;
			case WIRE_LIST:
				if (m->type->element->kind == WIRE_STRUCTURE)
				{
					const WireList *list = member;

					for (int i = 0; i < Min(list->n, m->type->max); i++)
						find_names(m->type->element,
								   ((const void *const *) list->elements)[i]);
				}
				break;
			case WIRE_MAP:
				if (strcmp(m->name, "RequestItems") != 0)
					break;
				add_map_tables(member, m->type->max);
				break;
			default:
				break;
		}
	}
}

static void
add_map_tables(const WireMap *map, int max)
{
	for (int i = 0; i < Min(map->n, max); i++)
	{
		ApiText		table = wire_table_of_name(&map->names[i]);

		add_table(&table);
	}
}

/* Those beyond the room for them are not watched. */
static void
add_table(const ApiText *name)
{
	WireTableUse *use;

	if (name->data == NULL || find_table(name) != NULL ||
		wire_observation.n_tables == WIRE_OBSERVED_TABLES)
		return;
	use = &wire_observation.tables[wire_observation.n_tables++];
	memset(use, 0, sizeof(*use));
	use->name = name->data;
	use->name_len = name->len;
}

/* Where the use of a table is counted, or NULL. */
static WireTableUse *
find_table(const ApiText *name)
{
	for (int i = 0; i < wire_observation.n_tables; i++)
	{
		WireTableUse *use = &wire_observation.tables[i];

		if (use->name_len == name->len &&
			memcmp(use->name, name->data, name->len) == 0)
			return use;
	}
	return NULL;
}

void
wire_observe_units(CapacityAccess access, int n, const WireConsumed *consumed)
{
	for (int i = 0; i < n; i++)
	{
		WireTableUse *use = find_table(consumed[i].table_name);
		int64		units = consumed[i].units;

		if (use == NULL)
			continue;
		for (int j = 0; j < consumed[i].nindexes; j++)
			units += consumed[i].indexes[j].units;
		if (access >= CAPACITY_WRITE)
			use->write_tenths += units;
		else
			use->read_tenths += units;
	}
}

/* Items of a table that were looked at, and that the client gets. */
void
wire_observe_items(const ApiText *table_name, int64 read, int64 returned)
{
	WireTableUse *use = find_table(table_name);

	if (use == NULL)
		return;
	use->items_read += read;
	use->items_returned += returned;
}
