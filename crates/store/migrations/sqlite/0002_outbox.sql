-- Signed transactions, written before they are broadcast. The nonce leads the keys, so that whoever asks for what a
-- signer has open is never led through all that it ever sent.
CREATE TABLE outbox (
    signer     TEXT NOT NULL,
    chain      INTEGER NOT NULL,
    nonce      INTEGER NOT NULL,
    purpose    TEXT NOT NULL,
    -- open, succeeded, reverted or superseded.
    state      TEXT NOT NULL DEFAULT 'open',
    -- The attempt that the chain took.
    ended_by   TEXT,
    -- The place of its newest attempt.
    last_place INTEGER NOT NULL,
    PRIMARY KEY (nonce, chain, signer)
) STRICT, WITHOUT ROWID;

-- A purpose is on its way once, and free again when its nonce went to something else.
CREATE UNIQUE INDEX outbox_purposes ON outbox (purpose, chain) WHERE state <> 'superseded';
CREATE INDEX outbox_nonces ON outbox (signer, chain, nonce);
-- Unique, as the key is: so the engine knows that what is open comes out in order.
CREATE UNIQUE INDEX outbox_open ON outbox (signer, chain, nonce) WHERE state = 'open';

CREATE TABLE attempts (
    signer               TEXT NOT NULL,
    chain                INTEGER NOT NULL,
    nonce                INTEGER NOT NULL,
    place                INTEGER NOT NULL,
    hash                 TEXT NOT NULL,
    raw                  BLOB NOT NULL,
    max_fee_per_gas      TEXT NOT NULL,
    priority_fee_per_gas TEXT,
    made_at              INTEGER NOT NULL,
    PRIMARY KEY (nonce, chain, signer, place),
    UNIQUE (nonce, chain, signer, hash),
    FOREIGN KEY (nonce, chain, signer) REFERENCES outbox (nonce, chain, signer) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
