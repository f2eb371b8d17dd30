-- Quotes are not stored any more: a route's id holds what an order is built from. Orders keep what they need of their quote,
-- and refer to no other table.

-- The filler's own id of its offer.
ALTER TABLE orders ADD COLUMN filler_quote TEXT;
-- Who asked for the quote.
ALTER TABLE orders ADD COLUMN integrator TEXT;
UPDATE orders SET integrator = (SELECT quotes.integrator FROM quotes WHERE quotes.id = orders.quote_id);

-- With the reference of orders to it.
DROP TABLE routes CASCADE;
DROP TABLE quotes;
DROP TABLE quote_batches;
