/** A parsed Solana transaction. */
export interface SolanaTransaction {
  /** Number of signature slots. */
  slots: number;
  /** Number of required signers. */
  signers: number;
  /** The account keys, 32 bytes of hex each. */
  keys: string[];
  instructions: Instruction[];
  /** Number of address lookup tables. */
  tables: number;
}

/** An instruction of a transaction. */
export interface Instruction {
  program: string;
  /** The account keys; `undefined` for those of a lookup table. */
  accounts: (string | undefined)[];
  data: Uint8Array;
}

/** Encodes bytes as hex, left-padded to 32 bytes. */
export const hex = (bytes: Uint8Array): string => `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('').padStart(64, '0')}`;

/** Parses a version 0 transaction without trailing bytes; `undefined` if it is not one. */
export function readTransaction(bytes: Uint8Array): SolanaTransaction | undefined {
  try {
    return parse(new Reader(bytes));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parse(reader: Reader): SolanaTransaction | undefined {
  const slots = reader.count();
  reader.take(slots * 64);
  const [version, signers] = reader.take(4);
  if (version !== 0x80) return undefined;
  const keys = reader.list(() => hex(reader.take(32)));
  reader.take(32);
  const instructions = reader.list(() => {
    const program = keys[reader.take(1)[0]!];
    if (!program) throw new RangeError();
    return { program, accounts: Array.from(reader.take(reader.count()), (index) => keys[index]), data: reader.take(reader.count()) };
  });
  const tables = reader.list(() => [reader.take(32), reader.take(reader.count()), reader.take(reader.count())]).length;
  return reader.isAtEnd() ? { slots, signers: signers!, keys, instructions, tables } : undefined;
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

  /** A compact-u16: seven bits per byte, lowest first. */
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

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }
}
