# partitioning - DynamoDB item tables for PostgreSQL
#
#   make quickstart         installs what is missing, builds, starts a private
#                           server, runs the tour and a program of the AWS SDK;
#                           make quickstop ends it
#   make test               installs what is missing, builds, runs everything
#
#   make, make install      build and install (PG_CONFIG=... chooses a server)
#   make installcheck       all tests, on temporary servers of their own
#   make soak-http          the HTTP endpoint for longer (REQUESTS=..., CYCLES=...)
#   make check-history      long histories of transactions (TRANSACTIONS=...)
#   make soak-crash         500 crashes of ptree indexes under load
#   make soak-ptree         10 minutes of load on ptree indexes
#   make soak-queue         ten million changes for an asynchronous index
#   make soak-index         an index of a million items made under load
#   make lint               rules of the sources (test/lint)
#   make test-17, test-18   the tests on another major, in a root folder

EXTENSION    = partitioning
EXTVERSION   = 1.0
MODULE_big   = partitioning
PGFILEDESC   = "partitioning - DynamoDB item model"

# Layer order, bottom to top: a file may include its own folder and those
# before it (test/lint/layers.txt says it in full).
FOLDERS      = base item ptree worker capacity key expr meta store scan gsi shard \
               api wire http
SQL_PARTS    = header item key ptree meta store gsi shard api wire http privileges

GENERATED    = src/expr/expr_gram.c src/expr/expr_scan.c
SOURCES      = src/partitioning.c \
               $(foreach f,$(FOLDERS),$(sort $(wildcard src/$(f)/*.c) \
                   $(patsubst %.y,%.c,$(wildcard src/$(f)/*.y)) \
                   $(patsubst %.l,%.c,$(wildcard src/$(f)/*.l))))
OBJS         = $(SOURCES:.c=.o)

DATA         = $(wildcard sql/partitioning--*--*.sql)
DATA_built   = sql/$(EXTENSION)--$(EXTVERSION).sql
PG_CPPFLAGS  = -I$(srcdir)/src -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS    = -MMD -MP -Wall -Wextra -Wno-unused-parameter $(if $(WERROR),-Werror)
SHLIB_LINK   = -Wl,-Bsymbolic -lmicrohttpd -lz

REGRESS      = install install_schema item_io item_number item_path item_ops \
               item_json item_limits ptree ptree_scan ptree_unique ptree_long \
               key_hash key_order \
               key_check key_prefix expr_condition expr_errors \
               expr_update expr_project expr_keycond \
               api_table meta_name meta_ddl meta_register \
               store_open store_entry store_executor scan_range \
               index_method index_method_unique index_write \
               index_local index_local_page index_local_random \
               gsi gsi_async gsi_ddl gsi_write gsi_unique gsi_limits gsi_page gsi_random \
               shard shard_random shard_plan shard_reshard \
               api_item api_update api_query api_scan api_plan api_errors \
               api_args api_hints api_context api_triggers api_transact api_batch \
               wire_item wire_query wire_batch wire_transact wire_request wire_table \
               privileges settings examples rules
REGRESS_OPTS = --inputdir=test --temp-instance=./tmp_check \
               --temp-config=test/regress.conf --no-locale --encoding=UTF8

ISOLATION    = meta-names gsi shard-put gsi-unique-order put-put put-absent-race update-update delete-put \
               put-sql row-lock savepoint repeatable-read serializable \
               put-ddl put-partition put-trigger put-second-index \
               item-read-committed item-repeatable-read item-serializable \
               item-row-locks wire-conflict local-index \
               ptree-unique ptree-scan-split ptree-scan-delete ptree-recycle \
               transact-absent transact-appears transact-conflict transact-late
ISOLATION_OPTS = --inputdir=test/isolation --temp-instance=./tmp_check_iso \
               --temp-config=test/regress.conf --load-extension=partitioning \
               --no-locale --encoding=UTF8

# INDEX_METHOD=ptree: the tests with key indexes of that access method, which
# is not the default.
ifdef INDEX_METHOD
export INDEX_METHOD
export PGOPTIONS = -c partitioning.index_method=$(INDEX_METHOD)
endif

TAP_TESTS    = 1
PROVE_TESTS  = test/t/*.pl

EXTRA_CLEAN  = $(GENERATED) src/expr/expr_gram.h $(OBJS:.o=.d) tmp/built-for

# PostgreSQL refuses root: installcheck below switches the user.
ROOT_USER   := $(filter 0,$(shell id -u))
ifneq ($(ROOT_USER),)
NO_INSTALLCHECK = 1
endif

PG_CONFIG   ?= pg_config
PGXS        := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))

ifneq ($(PGXS),)
include $(PGXS)

# The server tests mostly wait: two at a time.
PROVE_JOBS  ?= 2
PROVE_FLAGS  = -I $(srcdir)/test/perl -j $(PROVE_JOBS)

sql/$(EXTENSION)--$(EXTVERSION).sql: $(SQL_PARTS:%=sql/parts/%.sql) Makefile
	cat $(filter %.sql,$^) > $@

src/expr/expr_gram.c: BISONFLAGS += -d
src/expr/expr_gram.h: src/expr/expr_gram.c ; touch $@
src/expr/%.o: src/expr/expr_gram.h
src/expr/%.bc: src/expr/expr_gram.h

# A change of server or of flags rebuilds everything.
BUILT_FOR    = $(shell $(PG_CONFIG) --version) $(PGXS) $(CFLAGS)
$(OBJS) $(OBJS:.o=.bc): tmp/built-for
tmp/built-for: always
	@mkdir -p tmp
	@echo '$(BUILT_FOR)' | cmp -s - $@ || echo '$(BUILT_FOR)' > $@

-include $(OBJS:.o=.d)

# The access method with fault points, for the tests.
FAULTS       = $(wildcard src/ptree/*.c) src/base/digest.c test/fault/ptfault.c

tmp/ptree_faults.so: $(FAULTS) src/ptree/ptree_private.h src/base/compat.h tmp/built-for
	$(CC) $(CFLAGS) $(CFLAGS_SL) $(CPPFLAGS) -DPTREE_FAULTS -shared -o $@ \
		$(FAULTS) $(LDFLAGS) $(SHLIB_LINK)

ifneq ($(ROOT_USER),)
installcheck:
	@test/scripts/as-user $(MAKE) --no-print-directory installcheck
else ifneq ($(TAP_TESTS),)
installcheck: tmp/ptree_faults.so
endif

else
all install installcheck clean:
	@echo 'No server headers: "$(PG_CONFIG) --pgxs" names no file.' >&2
	@echo 'Say PG_CONFIG=..., or install what is missing: make prepare' >&2
	@exit 1
endif

# What follows needs no server to be there yet.

prepare:
	@test/scripts/prepare '$(PG_CONFIG)'

# Builds, then installs with the rights that the server's folder asks for.
installed: prepare
	@echo 'Building for $(shell $(PG_CONFIG) --version), a minute or two the first time'
	@$(MAKE) --no-print-directory -s $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) all
	@echo "Installing into $$($(PG_CONFIG) --pkglibdir)"
	@if [ -w "$$($(PG_CONFIG) --pkglibdir)" ]; then \
		$(MAKE) --no-print-directory -s install; \
	elif command -v sudo > /dev/null; then \
		sudo $(MAKE) --no-print-directory -s install \
			PG_CONFIG='$(PG_CONFIG)' WERROR='$(WERROR)'; \
	else \
		echo "Only root may install into $$($(PG_CONFIG) --pkglibdir)." >&2; \
		exit 1; \
	fi

quickstart: installed
	@examples/quickstart start '$(PG_CONFIG)'

quickstop:
	@examples/quickstart stop '$(PG_CONFIG)'

test: export WERROR = 1
test: installed
	@test/sdk/install
	@test/scripts/suite

# Long histories of item transactions, searched for anomalies.
check-history: export TRANSACTIONS ?= 1000000
check-history: installed
	@$(MAKE) --no-print-directory installcheck REGRESS= ISOLATION= \
		PROVE_TESTS='test/t/030_transact_history.pl test/t/031_transact_bank.pl'

# Crashes of ptree indexes under load, and load without crashes, for long.
soak-crash: export PTREE_CYCLES ?= 500
soak-crash: installed
	@$(MAKE) --no-print-directory installcheck REGRESS= ISOLATION= \
		PROVE_TESTS=test/t/061_ptree_crashes.pl

soak-ptree: export PTREE_SECONDS ?= 600
soak-ptree: installed
	@$(MAKE) --no-print-directory installcheck REGRESS= ISOLATION= \
		PROVE_TESTS=test/t/062_ptree_soak.pl

# A long queue of changes, and an index made of many items under load.
soak-queue: export CHANGES ?= 10000000
soak-queue: installed
	@$(MAKE) --no-print-directory installcheck REGRESS= ISOLATION= \
		PROVE_TESTS=test/t/043_index_queue.pl

soak-index: export ITEMS ?= 1000000
soak-index: export CLIENTS ?= 8
soak-index: installed
	@$(MAKE) --no-print-directory installcheck REGRESS= ISOLATION= \
		PROVE_TESTS=test/t/042_index_online.pl

# The HTTP endpoint for longer: a million requests, ten crashes.
soak-http: export REQUESTS ?= 1000000
soak-http: export CYCLES ?= 10
soak-http: installed
	@$(MAKE) --no-print-directory installcheck REGRESS= ISOLATION= \
		PROVE_TESTS='test/t/076_http_hostile.pl test/t/079_http_crash.pl'

lint:
	@test/lint/run

MAJORS       = 17 18

$(MAJORS:%=root-%): root-%:
	@test/scripts/root $* make

$(MAJORS:%=test-%): test-%: root-%
	@test/scripts/root $* test

.PHONY: always prepare installed quickstart quickstop test check-history \
        soak-crash soak-ptree soak-queue soak-index soak-http lint \
        $(MAJORS:%=root-%) $(MAJORS:%=test-%)
