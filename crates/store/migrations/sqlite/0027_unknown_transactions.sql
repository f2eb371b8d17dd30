-- After a restore: transactions of a key below this nonce may be unknown to the outbox and not final.

CREATE TABLE unknown_transactions (
    signer      TEXT NOT NULL,
    chain       INTEGER NOT NULL,
    below_nonce INTEGER NOT NULL,
    PRIMARY KEY (signer, chain)
) STRICT;
