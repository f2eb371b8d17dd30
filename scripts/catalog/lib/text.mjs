// Control, unassigned, private, line-breaking, bidirectional, invisible and free-standing combining characters:
// a token that needs one of them to be told from another is not a token we want to show.
const UNSHOWABLE = /[\p{C}\p{Zl}\p{Zp}\p{Mn}\p{Me}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

const LATIN = /\p{Script=Latin}/u;
const LOOKALIKE_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

// A symbol that is a whole word of hex digits is a bytes32 value that some list failed to decode.
const UNDECODED = /^(0x)?[0-9a-f]{16,}$/i;

// Liquid staking tokens that one service mints for every validator under the sun.
const MASS_PRODUCED = /^\(Sanctum Automated\)/;

const BAIT = /https?:|www\.|t\.me\/|\b(claim|airdrop|giveaway|voucher)\b/i;

/** Collapses white space; every kind of space becomes the plain one. */
export function tidy(text) {
  return String(text ?? '').normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function showable(text) {
  return !UNSHOWABLE.test(text) && !(LATIN.test(text) && LOOKALIKE_SCRIPT.test(text)) && !BAIT.test(text);
}

/** A symbol fit for the catalog. */
export function goodSymbol(symbol) {
  const length = [...symbol].length;
  return length > 0 && length <= 32 && /[\p{L}\p{N}]/u.test(symbol) && !/\s/u.test(symbol) && !UNDECODED.test(symbol) && showable(symbol);
}

/** A name fit for the catalog. */
export function goodName(name) {
  const length = [...name].length;
  return length > 0 && length <= 100 && !UNDECODED.test(name) && !MASS_PRODUCED.test(name) && showable(name);
}

/** Decimals fit for the catalog. */
export function goodDecimals(decimals) {
  return Number.isInteger(decimals) && decimals >= 0 && decimals <= 36;
}
