/* no_units.c - a library, but not one of unit types. */
extern int ogive_has_no_units;
int ogive_has_no_units = 1;
