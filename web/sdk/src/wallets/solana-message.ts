/** A transaction of Solana in parts. */
export interface SolanaTransaction {
  /** How many signatures there is room for. */
  slots: number;
  /** How many the message asks for. */
  signers: number;
  /** 32 bytes in hex each. */
  keys: string[];
  instructions: Instruction[];
  /** How many tables it takes further addresses from. */
  tables: number;
}

/** What one program is asked for. */
export interface Instruction {
  program: string;
  /** Addresses; nothing where a table would have to tell. */
  accounts: (string | undefined)[];
  data: Uint8Array;
}

/** 32 bytes in hex, shorter ones filled up from the left. */
export const hex = (bytes: Uint8Array): string => `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('').padStart(64, '0')}`;

/** Reads a transaction of version 0, and nothing behind it; nothing where it is none. */
export function readTransaction(bytes: Uint8Array): SolanaTransaction | undefined {
  try {
    return parse(new Reader(bytes));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parse(rest: Reader): SolanaTransaction | undefined {
  const slots = rest.count();
  rest.take(slots * 64);
  const [version, signers] = rest.take(4);
  if (version !== 0x80) return undefined;
  const keys = rest.list(() => hex(rest.take(32)));
  rest.take(32);
  const instructions = rest.list(() => {
    const program = keys[rest.take(1)[0]!];
    if (!program) throw new RangeError();
    return { program, accounts: Array.from(rest.take(rest.count()), (number) => keys[number]), data: rest.take(rest.count()) };
  });
  const tables = rest.list(() => [rest.take(32), rest.take(rest.count()), rest.take(rest.count())]).length;
  return rest.isOver() ? { slots, signers: signers!, keys, instructions, tables } : undefined;
}

class Reader {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw new RangeError();
    this.#at += length;
    return taken;
  }

  /** A number of up to 16 bits, seven to a byte, the lowest first. */
  count(): number {
    let count = 0;
    for (const shift of [0, 7, 14]) {
      const [byte] = this.take(1);
      count |= (byte! & 0x7f) << shift;
      if (byte! < 0x80 && count < 2 ** 16) return count;
    }
    throw new RangeError();
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.count() }, item);
  }

  isOver(): boolean {
    return this.#at === this.#bytes.length;
  }
}
