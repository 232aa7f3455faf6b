# partitioning - DynamoDB item tables for PostgreSQL
#
#   make, make install          build and install (PGXS; PG_CONFIG=... chooses a server)
#   make installcheck           all tests on temporary servers of their own
#   make lint                   layer order, exported symbols, SQL script rules

EXTENSION    = partitioning
EXTVERSION   = 1.0
MODULE_big   = partitioning
PGFILEDESC   = "partitioning - DynamoDB item model"

# Layer order, bottom to top: a file may include its own folder and those
# before it (test/lint/layers.txt says it in full).
FOLDERS      = base item ptree key expr meta store scan api
SQL_PARTS    = header

GENERATED    = src/expr/expr_gram.c src/expr/expr_scan.c
SOURCES      = src/partitioning.c \
               $(foreach f,$(FOLDERS),$(sort $(wildcard src/$(f)/*.c) \
                   $(patsubst %.y,%.c,$(wildcard src/$(f)/*.y)) \
                   $(patsubst %.l,%.c,$(wildcard src/$(f)/*.l))))
OBJS         = $(SOURCES:.c=.o)

DATA         = $(wildcard sql/partitioning--*--*.sql)
DATA_built   = sql/$(EXTENSION)--$(EXTVERSION).sql
PG_CPPFLAGS  = -I$(srcdir)/src -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS    = -MMD -MP -Wall -Wextra $(if $(WERROR),-Werror)
SHLIB_LINK   = -Wl,-Bsymbolic

REGRESS      = install
REGRESS_OPTS = --inputdir=test --temp-instance=./tmp_check \
               --temp-config=test/regress.conf --no-locale --encoding=UTF8

EXTRA_CLEAN  = $(GENERATED) src/expr/expr_gram.h $(OBJS:.o=.d)

PG_CONFIG   ?= pg_config
PGXS        := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

sql/$(EXTENSION)--$(EXTVERSION).sql: $(SQL_PARTS:%=sql/parts/%.sql)
	cat $^ > $@

src/expr/expr_gram.c: BISONFLAGS += -d
src/expr/expr_gram.h: src/expr/expr_gram.c ; touch $@
src/expr/%.o: src/expr/expr_gram.h
src/expr/%.bc: src/expr/expr_gram.h

-include $(OBJS:.o=.d)
