-- Who has API keys, the keys by their hashes, and how many quotes each integrator asked for on each day.

CREATE TABLE integrators (
    name            TEXT NOT NULL PRIMARY KEY,
    -- Comma-separated.
    scopes          TEXT NOT NULL,
    evm_referrer    TEXT,
    solana_referrer TEXT,
    fee_bps         INTEGER NOT NULL,
    quotes_per_day  INTEGER,
    added_at        INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
    id         TEXT NOT NULL PRIMARY KEY,
    integrator TEXT NOT NULL REFERENCES integrators (name),
    -- SHA-256, in hex.
    hash       TEXT NOT NULL UNIQUE,
    made_at    INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

CREATE INDEX api_keys_by_integrator ON api_keys (integrator);

CREATE TABLE integrator_quotes (
    integrator TEXT NOT NULL,
    -- Days since 1970-01-01, in UTC.
    day        INTEGER NOT NULL,
    quotes     INTEGER NOT NULL,
    PRIMARY KEY (integrator, day)
) STRICT;
