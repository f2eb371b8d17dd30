-- The numbers of the processes on this database, which are part of their row keys.

CREATE TABLE replicas (
    number      INTEGER NOT NULL PRIMARY KEY,
    -- A name that each process makes up at its start.
    holder      TEXT NOT NULL UNIQUE,
    -- By the clock of the database, in milliseconds.
    lease_until INTEGER NOT NULL
) STRICT;
