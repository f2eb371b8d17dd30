-- The access token of each provider, which all replicas use: fetching one ends the one before.

CREATE TABLE ramp_tokens (
    provider TEXT NOT NULL PRIMARY KEY,
    token    TEXT NOT NULL,
    ends_at  BIGINT NOT NULL
);
