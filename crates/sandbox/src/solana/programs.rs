use solana_address::Address;

/// The token program.
pub const TOKEN: Address = Address::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
/// The token program with extensions.
pub const TOKEN_2022: Address = Address::from_str_const("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");
/// The associated token account program.
pub const ASSOCIATED_TOKEN: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
/// The memo program in its current version.
pub const MEMO: Address = Address::from_str_const("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
/// The mint of wrapped SOL.
pub const NATIVE_MINT: Address = Address::from_str_const("So11111111111111111111111111111111111111112");

pub(super) const SYSTEM: Address = Address::new_from_array([0; 32]);
pub(super) const SYSVAR: Address = Address::from_str_const("Sysvar1111111111111111111111111111111111111");
pub(super) const LOADER_V3: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");
const LOADER_V1: Address = Address::from_str_const("BPFLoader1111111111111111111111111111111111");
const LOADER_V2: Address = Address::from_str_const("BPFLoader2111111111111111111111111111111111");
const LOADER_V4: Address = Address::from_str_const("LoaderV411111111111111111111111111111111111");

pub(super) fn is_token_program(program: &Address) -> bool {
    *program == TOKEN || *program == TOKEN_2022
}

/// Whether accounts of this owner hold programs.
pub(super) fn is_loader(program: &Address) -> bool {
    [LOADER_V1, LOADER_V2, LOADER_V3, LOADER_V4].contains(program)
}
