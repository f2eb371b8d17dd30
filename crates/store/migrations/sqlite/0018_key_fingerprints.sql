-- Which keys the processes on this database use: all of them the same ones.

CREATE TABLE key_fingerprints (
    role        TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    since       INTEGER NOT NULL
) STRICT;
