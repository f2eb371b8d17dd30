-- How many requests all processes have taken of a budget for others' services, and until when those want to be left alone.

CREATE TABLE request_budgets (
    name         TEXT NOT NULL PRIMARY KEY,
    -- When the newest window began.
    begun        INTEGER NOT NULL,
    taken        INTEGER NOT NULL,
    paused_until INTEGER NOT NULL
) STRICT;
