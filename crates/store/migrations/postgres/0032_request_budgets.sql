-- How many requests all processes have taken of a budget for others' services, and until when those want to be left alone.

CREATE TABLE request_budgets (
    name         TEXT NOT NULL PRIMARY KEY,
    -- When the newest window began.
    begun        BIGINT NOT NULL,
    taken        BIGINT NOT NULL,
    paused_until BIGINT NOT NULL
);
