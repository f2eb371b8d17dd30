-- The second leg of a joined route as JSON: what the provider's delivery is swapped to, and who gets it otherwise. It has a column
-- of its own, because a process of the version before writes `provider` and would lose it there.

ALTER TABLE orders ADD COLUMN joined TEXT;
