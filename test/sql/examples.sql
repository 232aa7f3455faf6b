-- Every example runs as it stands; what it prints is read here.
SET client_min_messages = warning;
\i examples/shop.sql
\i examples/saas.sql
\i examples/events.sql
\i examples/days.sql
\i examples/bulkhead.sql
\i examples/bank.sql
\i examples/articles.sql
\i examples/active_users.sql
\i examples/denormalised.sql
\i examples/sales.sql
\i examples/orders.sql
\i examples/user_articles.sql
\i examples/inverted.sql
\i examples/sparse.sql
\i examples/access_patterns.sql
\i examples/tour.sql
DROP SCHEMA example_tour,
    example_orders,
    example_user_articles,
    example_inverted,
    example_sparse,
    example_access_patterns,
    example_shop,
    example_saas,
    example_events,
    example_days,
    example_bulkhead,
    example_bank,
    example_articles,
    example_active_users,
    example_denormalised,
    example_sales CASCADE;
