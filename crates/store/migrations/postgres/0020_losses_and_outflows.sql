-- Losses of several kinds on one order: price, and the fees of what reverted or was waived. What leaves a chain in an hour.

DROP INDEX losses_by_age;
ALTER TABLE losses RENAME TO losses_of_one_kind;

CREATE TABLE losses (
    filler      TEXT NOT NULL,
    order_id    TEXT NOT NULL,
    kind        TEXT NOT NULL,
    cents       TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (filler, order_id, kind)
);

INSERT INTO losses (filler, order_id, kind, cents, recorded_at)
SELECT filler, order_id, 'price', cents, recorded_at FROM losses_of_one_kind;

DROP TABLE losses_of_one_kind;

CREATE INDEX losses_by_age ON losses (filler, recorded_at);

CREATE TABLE outflows (
    filler      TEXT NOT NULL,
    purpose     TEXT NOT NULL,
    chain       BIGINT NOT NULL,
    value_cents TEXT NOT NULL,
    fees_cents  TEXT NOT NULL,
    sent_at     BIGINT NOT NULL,
    PRIMARY KEY (filler, purpose)
);

CREATE INDEX outflows_by_age ON outflows (sent_at);

-- Transfers that nobody paid, which retention removes.
CREATE INDEX orders_unpaid ON orders (created_at)
    WHERE announced = 1 AND status = 'failed' AND due_at IS NULL AND deposit_address IS NOT NULL AND deposit_tx IS NULL;
