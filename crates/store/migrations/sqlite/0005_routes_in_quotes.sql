-- The routes that a quote was made with, as a JSON list: one row to write instead of several. Those that answered later, and
-- the one that an order came from, have rows of their own in `routes`.

ALTER TABLE quotes ADD COLUMN routes TEXT;
