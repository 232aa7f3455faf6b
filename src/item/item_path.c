/*
 * item_path.c
 *	  Follows document paths (a.b[3]) into encoded values.
 */
#include "postgres.h"

#include "item/item_private.h"

/*
 * The value at the end of a path that starts in this value; false when a
 * step finds nothing.  No elements: the value itself.
 */
bool
item_path_fetch(ItemRef value, const ItemPathElement *elements, int n,
				ItemRef *result)
{
	for (int i = 0; i < n; i++)
	{
		const ItemPathElement *element = &elements[i];

		if (element->name != NULL)
		{
			if (value.type != ITEM_M ||
				!item_map_find(value, element->name, element->name_len,
							   &value))
				return false;
		}
		else
		{
			if (value.type != ITEM_L || element->index < 0 ||
				element->index >= item_list_count(value))
				return false;
			value = item_list_element(value, element->index);
		}
	}
	*result = value;
	return true;
}
