-- What an operator may have to account for; lines are only ever added.

CREATE TABLE audit (
    row_key     BIGINT NOT NULL PRIMARY KEY,
    kind        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    detail      TEXT NOT NULL,
    happened_at BIGINT NOT NULL
);
