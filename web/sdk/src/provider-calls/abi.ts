/** A decoded argument: a number, an address or 32 bytes as a number; bytes and text as hex digits; a list or tuple as an array. */
export type Argument = bigint | string | Argument[];

const WORD = 64;

/**
 * Reads arguments of these types in the one form that encoders write: nothing left out, added or put elsewhere. `undefined` for
 * everything else, so that nothing in a call goes unseen. `types` are as in a function's signature, `digits` are hex.
 */
export function readArguments(types: string, digits: string): Argument[] | undefined {
  try {
    const [values, end] = new Reader(digits).tuple(split(types), 0);
    return end === digits.length ? values : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The types of a list, without those inside of tuples. */
function split(types: string): string[] {
  const found = [''];
  let depth = 0;
  for (const letter of types) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) found.push('');
    else found[found.length - 1] += letter;
  }
  return found;
}

const members = (tuple: string): string[] => split(tuple.slice(1, -1));
const isList = (type: string): boolean => type.endsWith('[]');
const isTuple = (type: string): boolean => type.endsWith(')');
const isText = (type: string): boolean => type === 'bytes' || type === 'string';
const isDynamic = (type: string): boolean => isList(type) || isText(type) || (isTuple(type) && members(type).some(isDynamic));
/** How many digits a type takes where it stands. */
const width = (type: string): number => (isTuple(type) && !isDynamic(type) ? members(type).reduce((sum, member) => sum + width(member), 0) : WORD);

class Reader {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  #word(at: number): bigint {
    const word = this.#digits.slice(at, at + WORD);
    if (word.length < WORD) throw new RangeError();
    return BigInt(`0x${word}`);
  }

  /** The members of a tuple that begins there, and where it ends: what they need besides follows in their order, without gaps. */
  tuple(types: readonly string[], start: number): [Argument[], number] {
    let at = start;
    let end = start + types.reduce((sum, type) => sum + width(type), 0);
    const values = types.map((type) => {
      let value: Argument;
      if (isDynamic(type)) {
        if (this.#word(at) !== BigInt((end - start) / 2)) throw new RangeError();
        [value, end] = this.#dynamic(type, end);
      } else if (isTuple(type)) {
        [value] = this.tuple(members(type), at);
      } else {
        value = this.#static(type, at);
      }
      at += width(type);
      return value;
    });
    return [values, end];
  }

  #dynamic(type: string, at: number): [Argument, number] {
    if (isTuple(type)) return this.tuple(members(type), at);
    const length = this.#word(at);
    if (length > BigInt(this.#digits.length)) throw new RangeError();
    const start = at + WORD;
    if (isList(type)) return this.tuple(new Array<string>(Number(length)).fill(type.slice(0, -2)), start);
    const [size, end] = [Number(length) * 2, start + Math.ceil((Number(length) * 2) / WORD) * WORD];
    if (end > this.#digits.length || /[^0]/.test(this.#digits.slice(start + size, end))) throw new RangeError();
    return [this.#digits.slice(start, start + size), end];
  }

  #static(type: string, at: number): bigint {
    const value = this.#word(at);
    const bits = { address: 160, bool: 1, bytes32: 256 }[type] ?? Number(/\d+/.exec(type)![0]);
    const most = 1n << BigInt(bits);
    // Negative numbers are filled up with ones.
    const fits = type.startsWith('int') ? value < most / 2n || value >= (1n << 256n) - most / 2n : value < most;
    if (!fits) throw new RangeError();
    return value;
  }
}
