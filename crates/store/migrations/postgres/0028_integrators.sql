-- Who has API keys, the keys by their hashes, and how many quotes each integrator asked for on each day.

CREATE TABLE integrators (
    name            TEXT NOT NULL PRIMARY KEY,
    -- Comma-separated.
    scopes          TEXT NOT NULL,
    evm_referrer    TEXT,
    solana_referrer TEXT,
    fee_bps         BIGINT NOT NULL,
    quotes_per_day  BIGINT,
    added_at        BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id         TEXT NOT NULL PRIMARY KEY,
    integrator TEXT NOT NULL REFERENCES integrators (name),
    -- SHA-256, in hex.
    hash       TEXT NOT NULL UNIQUE,
    made_at    BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);

CREATE INDEX api_keys_by_integrator ON api_keys (integrator);

CREATE TABLE integrator_quotes (
    integrator TEXT NOT NULL,
    -- Days since 1970-01-01, in UTC.
    day        BIGINT NOT NULL,
    quotes     BIGINT NOT NULL,
    PRIMARY KEY (integrator, day)
);
