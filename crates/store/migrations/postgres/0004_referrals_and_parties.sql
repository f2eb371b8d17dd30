-- Who brought a swap and for what part of the input, in hundredths of a percent; and whom the escrow knows in a route.

ALTER TABLE quotes ADD COLUMN referrer TEXT;
ALTER TABLE quotes ADD COLUMN referrer_fee_bps BIGINT;
ALTER TABLE routes ADD COLUMN filler_address TEXT;
ALTER TABLE routes ADD COLUMN payee TEXT;
