-- Orders are found by every address and transaction of theirs.

CREATE INDEX orders_by_recipient ON orders (recipient, row_key) WHERE announced = 1;
CREATE INDEX orders_by_refund_to ON orders (refund_to, row_key) WHERE announced = 1;
CREATE INDEX arrivals_by_tx ON arrivals (tx) WHERE tx IS NOT NULL;
