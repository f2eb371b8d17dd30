use alloy_primitives::{B256, U256};
use causeway_domain::ports::{Deed, DeedError};
use causeway_domain::{Address as AnyAddress, SOLANA_CHAIN_ID, Terms, TokenId};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use crate::program::{EscrowProgram, Holding, TokenSource, associated_token_account};
use crate::{Commitment, SolanaRpc, TOKEN_2022_PROGRAM, TOKEN_PROGRAM};

const SYSTEM: Address = Address::new_from_array([0; 32]);
const ASSOCIATED_TOKEN: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
/// Makes an account unless it is there.
const CREATE_IDEMPOTENT: u8 = 1;
const TRANSFER_CHECKED: u8 = 12;
const SYSTEM_TRANSFER: u32 = 2;
/// Where a mint says its decimals.
const DECIMALS_AT: usize = 44;

/// A deed as instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Makes the token accounts that are missing; harmless when they are there.
    pub(super) accounts: Vec<Instruction>,
    pub(super) deed: Vec<Instruction>,
    /// Whether the deed's later instructions may be left for another time.
    pub(super) is_divisible: bool,
}

/// Writes deeds for our programs, in the name of one key.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    pub(super) rpc: &'a SolanaRpc,
    pub(super) programs: &'a [EscrowProgram],
    pub(super) caller: Address,
}

impl Writer<'_> {
    /// What is for another chain, or for programs that are not ours, is never written.
    pub(super) async fn write(&self, deed: &Deed) -> Result<Plan, DeedError> {
        match deed {
            Deed::OpenFor { .. } => Err(never("there are no permits on Solana")),
            Deed::Sweep { terms } => self.sweep(terms).await,
            Deed::GiveBack { terms, tokens } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let (from, to) = (program.deposit(terms.id()), address(terms.refund_to));
                self.returning(from, to, tokens, |holding| program.give_back(terms, holding)).await
            }
            Deed::Jump { jump, terms, signature } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let source = self.source(program.jump_address(jump), terms.input_token).await?;
                Ok(plain(program.jump(jump, terms, self.caller, source, signature)))
            }
            Deed::GiveBackJump { jump, tokens, signature } => {
                let program = self.origin(jump.origin_chain_id, jump.escrow)?;
                let (from, to) = (program.jump_address(jump), address(jump.refund_to));
                let give_back = |holding| program.give_back_jump(jump, holding, signature.as_ref());
                self.returning(from, to, tokens, give_back).await
            }
            Deed::Fill { through: Some(_), .. } => Err(never("there are no vaults on Solana")),
            Deed::Fill { terms, through: None } => self.fill(terms).await,
            Deed::Claim { terms, filled_at, fill_ref, signatures } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                let claim = if terms.is_same_chain() {
                    program.claim_recorded(terms, token)
                } else {
                    program.claim(terms, token, (*filled_at, *fill_ref), signatures)
                };
                // A referrer without an account leaves its fee to the payee, as the program says; nobody is to live off the
                // rent of accounts that we make.
                self.paying(terms.payee, terms.input_token, token, claim).await
            }
            Deed::Refund { terms } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                let is_filler = address(terms.filler) == self.caller;
                let refund = program.refund(terms, AccountMeta::new_readonly(self.caller, is_filler), token);
                self.paying(terms.refund_to, terms.input_token, token, refund).await
            }
            Deed::RefundUnfilled { terms, destination_time, signatures } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                let refund = program.refund_unfilled(terms, token, *destination_time, signatures);
                self.paying(terms.refund_to, terms.input_token, token, refund).await
            }
            Deed::Pay { token, to, amount } => self.pay(token, to, amount.get()).await,
            Deed::CloseOrder { terms, payer } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                Ok(plain(program.close_order(terms, address(payer.to_word()), token)))
            }
            Deed::CloseFill { terms, payer } => {
                Ok(plain(self.destination(terms)?.close_fill(terms.id(), address(payer.to_word()))))
            }
            Deed::RecordIntents { .. } => Err(never("the book of intents lies on an EVM chain")),
        }
    }

    /// The program that holds deposits of this escrow here.
    fn origin(&self, chain: u64, escrow: B256) -> Result<EscrowProgram, DeedError> {
        self.ours(chain, escrow, "the order's deposit lies", "escrow")
    }

    /// The program that delivers this order here.
    fn destination(&self, terms: &Terms) -> Result<EscrowProgram, DeedError> {
        self.ours(terms.destination_chain_id, terms.settler, "the order is delivered", "settler")
    }

    fn ours(&self, chain: u64, at: B256, what: &str, role: &str) -> Result<EscrowProgram, DeedError> {
        if chain != SOLANA_CHAIN_ID.get() {
            return Err(never(&format!("{what} on chain {chain}")));
        }
        let program = self.programs.iter().find(|program| program.id.to_bytes() == at.0);
        program.copied().ok_or_else(|| never(&format!("the order's {role} is none of ours")))
    }

    async fn sweep(&self, terms: &Terms) -> Result<Plan, DeedError> {
        let program = self.origin(terms.origin_chain_id, terms.escrow)?;
        let source = self.source(program.deposit(terms.id()), terms.input_token).await?;
        Ok(plain(program.sweep(terms, self.caller, source)))
    }

    async fn fill(&self, terms: &Terms) -> Result<Plan, DeedError> {
        let program = self.destination(terms)?;
        let token = self.token_program(terms.output_token).await?;
        let source = token.map(|token| token_source(self.caller, terms.output_token, token));
        let fill = program.fill(terms, self.caller, source);
        self.paying(terms.recipient, terms.output_token, token, fill).await
    }

    /// Returns each of the tokens from the account of an address of ours.
    async fn returning(
        &self,
        from: Address,
        to: Address,
        tokens: &[AnyAddress],
        give_back: impl Fn(Option<Holding>) -> Instruction,
    ) -> Result<Plan, DeedError> {
        let mut plan = Plan { is_divisible: true, ..Plan::default() };
        for token in tokens {
            let Some(token_program) = self.token_program(token.to_word()).await? else {
                plan.deed.push(give_back(None));
                continue;
            };
            let mint = address(token.to_word());
            let account = associated_token_account(&from, &mint, &token_program);
            plan.accounts.extend(self.missing_account(to, mint, token_program).await?);
            plan.deed.push(give_back(Some(Holding { account, mint, token_program, close: true })));
        }
        Ok(plan)
    }

    async fn pay(&self, token: &TokenId, to: &AnyAddress, amount: U256) -> Result<Plan, DeedError> {
        let (mint, to) = (token.address().to_word(), to.to_word());
        let amount = u64::try_from(amount).map_err(|_| never("the amount is larger than Solana counts"))?;
        let payment = if let Some(token_program) = self.token_program(mint).await? {
            let source = associated_token_account(&self.caller, &address(mint), &token_program);
            let destination = associated_token_account(&address(to), &address(mint), &token_program);
            let data = self.account(address(mint)).await?.map(|account| account.data).unwrap_or_default();
            let decimals = data.get(DECIMALS_AT).ok_or_else(|| never("the token has no decimals"))?;
            let data = [&[TRANSFER_CHECKED][..], &amount.to_le_bytes(), &[*decimals]].concat();
            let accounts = vec![
                AccountMeta::new(source, false),
                AccountMeta::new_readonly(address(mint), false),
                AccountMeta::new(destination, false),
                AccountMeta::new_readonly(self.caller, true),
            ];
            Instruction { program_id: token_program, accounts, data }
        } else {
            let data = [&SYSTEM_TRANSFER.to_le_bytes()[..], &amount.to_le_bytes()].concat();
            let accounts = vec![AccountMeta::new(self.caller, true), AccountMeta::new(address(to), false)];
            Instruction { program_id: SYSTEM, accounts, data }
        };
        let token_program = self.token_program(mint).await?;
        self.paying(to, mint, token_program, payment).await
    }

    /// A payment to somebody, whose token account is made first where it is missing. An owner off the curve has one as well.
    async fn paying(
        &self,
        to: B256,
        token: B256,
        token_program: Option<Address>,
        payment: Instruction,
    ) -> Result<Plan, DeedError> {
        let mut plan = plain(payment);
        if let Some(token_program) = token_program {
            plan.accounts.extend(self.missing_account(address(to), address(token), token_program).await?);
        }
        Ok(plan)
    }

    async fn missing_account(
        &self,
        owner: Address,
        mint: Address,
        token_program: Address,
    ) -> Result<Option<Instruction>, DeedError> {
        let account = associated_token_account(&owner, &mint, &token_program);
        if self.account(account).await?.is_some_and(|account| account.owner == token_program) {
            return Ok(None);
        }
        let accounts = vec![
            AccountMeta::new(self.caller, true),
            AccountMeta::new(account, false),
            AccountMeta::new_readonly(owner, false),
            AccountMeta::new_readonly(mint, false),
            AccountMeta::new_readonly(SYSTEM, false),
            AccountMeta::new_readonly(token_program, false),
        ];
        Ok(Some(Instruction { program_id: ASSOCIATED_TOKEN, accounts, data: vec![CREATE_IDEMPOTENT] }))
    }

    async fn source(&self, owner: Address, token: B256) -> Result<Option<TokenSource>, DeedError> {
        let token_program = self.token_program(token).await?;
        Ok(token_program.map(|token_program| token_source(owner, token, token_program)))
    }

    /// Which of the two programs keeps a token; none for SOL.
    async fn token_program(&self, token: B256) -> Result<Option<Address>, DeedError> {
        if token == B256::ZERO {
            return Ok(None);
        }
        let owner = self.account(address(token)).await?.map(|account| account.owner);
        match owner.filter(|owner| [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].contains(owner)) {
            Some(owner) => Ok(Some(owner)),
            None => Err(never(&format!("{} is no token", address(token)))),
        }
    }

    async fn account(&self, at: Address) -> Result<Option<crate::Account>, DeedError> {
        Ok(self.rpc.accounts(&[at], Commitment::Confirmed, None).await?.value.pop().flatten())
    }
}

fn plain(instruction: Instruction) -> Plan {
    Plan { deed: vec![instruction], ..Plan::default() }
}

fn token_source(owner: Address, token: B256, token_program: Address) -> TokenSource {
    TokenSource { account: associated_token_account(&owner, &address(token), &token_program), token_program }
}

fn address(word: B256) -> Address {
    Address::new_from_array(word.0)
}

fn never(words: &str) -> DeedError {
    DeedError::Never(words.to_owned())
}
