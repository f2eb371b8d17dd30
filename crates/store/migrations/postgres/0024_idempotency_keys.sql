-- The answers to requests that carry an idempotency key, for a day.

CREATE TABLE idempotency_keys (
    -- The hash of the key and of whose it is.
    key_hash     TEXT NOT NULL PRIMARY KEY,
    request_hash TEXT NOT NULL,
    -- The attempt that has the key.
    attempt      TEXT NOT NULL,
    claimed_at   BIGINT NOT NULL,
    -- Both are missing while the attempt is in progress.
    status       BIGINT,
    answer       BYTEA
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (claimed_at);
