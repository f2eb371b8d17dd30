use alloy_primitives::{B256, U256};
use causeway_domain::ports::{ActionError, BatchedClaim, ChainAction};
use causeway_domain::{Address as AnyAddress, IntentTerms, SOLANA_CHAIN_ID, SignatureBytes, TokenId};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use crate::program::{BatchFill, EscrowProgram, Holding, TokenSource, associated_token_account};
use crate::{Commitment, SolanaRpc, TOKEN_2022_PROGRAM, TOKEN_PROGRAM};

const SYSTEM: Address = Address::new_from_array([0; 32]);
const ASSOCIATED_TOKEN: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
/// Creates an account unless it exists.
const CREATE_IDEMPOTENT: u8 = 1;
const TRANSFER_CHECKED: u8 = 12;
const SYSTEM_TRANSFER: u32 = 2;
/// The offset of the decimals in a mint.
const DECIMALS_AT: usize = 44;

/// The instructions of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Creates missing token accounts; has no effect if they exist.
    pub(super) accounts: Vec<Instruction>,
    pub(super) action: Vec<Instruction>,
    /// Whether later instructions of the action may go into another transaction.
    pub(super) is_divisible: bool,
}

/// Builds the instructions of actions that one key sends to the known programs.
#[derive(Debug)]
pub(super) struct PlanBuilder<'a> {
    pub(super) rpc: &'a SolanaRpc,
    pub(super) programs: &'a [EscrowProgram],
    pub(super) caller: Address,
}

impl PlanBuilder<'_> {
    /// An action for another chain, or for unknown programs, is refused.
    pub(super) async fn build(&self, action: &ChainAction) -> Result<Plan, ActionError> {
        match action {
            ChainAction::OpenFor { .. }
            | ChainAction::OpenWithAuthorization { .. }
            | ChainAction::OpenWithPermit { .. } => Err(permanent_error("Solana has no permits")),
            ChainAction::Sweep { terms } => self.sweep(terms).await,
            ChainAction::ReturnBalance { terms, tokens } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let (from, to) = (program.deposit(terms.id()), address(terms.refund_to));
                self.return_tokens(from, to, tokens, |holding| program.give_back(terms, holding)).await
            }
            ChainAction::OpenForwarding { forwarding: jump, terms, signature } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let source = self.source(program.jump_address(jump), terms.input_token).await?;
                Ok(single(program.jump(jump, terms, self.caller, source, signature)))
            }
            ChainAction::ReturnForwarding { forwarding: jump, tokens, signature } => {
                let program = self.origin(jump.origin_chain_id, jump.escrow)?;
                let (from, to) = (program.jump_address(jump), address(jump.refund_to));
                let give_back = |holding| program.give_back_jump(jump, holding, signature.as_ref());
                self.return_tokens(from, to, tokens, give_back).await
            }
            ChainAction::Fill { through: Some(_), .. } => Err(permanent_error("Solana has no vaults")),
            ChainAction::Fill { terms, through: None } => self.fill(terms).await,
            ChainAction::Claim { terms, filled_at, fill_ref, signatures } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                let claim = if terms.is_same_chain() {
                    program.claim_recorded(terms, token)
                } else {
                    program.claim(terms, token, (*filled_at, *fill_ref), signatures)
                };
                // The program pays the fee of a referrer without a token account to the payee. The service does not
                // create that account, so that nobody profits from the rent that it would pay.
                self.payment_with_account(terms.payee, terms.input_token, token, claim).await
            }
            ChainAction::ClaimBatch { claims, signatures } => self.claim_batch(claims, signatures).await,
            ChainAction::Refund { terms } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                let is_filler = address(terms.filler) == self.caller;
                let refund = program.refund(terms, AccountMeta::new_readonly(self.caller, is_filler), token);
                self.payment_with_account(terms.refund_to, terms.input_token, token, refund).await
            }
            ChainAction::RefundUnfilled { terms, destination_time, signatures } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                let refund = program.refund_unfilled(terms, token, *destination_time, signatures);
                self.payment_with_account(terms.refund_to, terms.input_token, token, refund).await
            }
            ChainAction::Pay { token, to, amount } => self.pay(token, to, amount.get()).await,
            ChainAction::CloseOrder { terms, payer } => {
                let program = self.origin(terms.origin_chain_id, terms.escrow)?;
                let token = self.token_program(terms.input_token).await?;
                Ok(single(program.close_order(terms, address(payer.to_word()), token)))
            }
            ChainAction::CloseFill { terms, payer } => {
                Ok(single(self.destination(terms)?.close_fill(terms.id(), address(payer.to_word()))))
            }
            ChainAction::RecordIntents { .. } => Err(permanent_error("the intent book is on an EVM chain")),
        }
    }

    /// The program of an order whose escrow is on Solana.
    fn origin(&self, chain: u64, escrow: B256) -> Result<EscrowProgram, ActionError> {
        self.known_program(chain, escrow, "the order's escrow is", "escrow")
    }

    /// The program of an order that is filled on Solana.
    fn destination(&self, terms: &IntentTerms) -> Result<EscrowProgram, ActionError> {
        self.known_program(terms.destination_chain_id, terms.settler, "the order is filled", "settler")
    }

    fn known_program(
        &self,
        chain: u64,
        at: B256,
        what: &str,
        role: &str,
    ) -> Result<EscrowProgram, ActionError> {
        if chain != SOLANA_CHAIN_ID.get() {
            return Err(permanent_error(&format!("{what} on chain {chain}")));
        }
        let program = self.programs.iter().find(|program| program.id.to_bytes() == at.0);
        program.copied().ok_or_else(|| permanent_error(&format!("the order's {role} is not a known program")))
    }

    async fn claim_batch(
        &self,
        claims: &[BatchedClaim],
        signatures: &[SignatureBytes],
    ) -> Result<Plan, ActionError> {
        let first = claims.first().ok_or_else(|| permanent_error("a batch claims at least one order"))?.terms;
        let program = self.origin(first.origin_chain_id, first.escrow)?;
        let token = self.token_program(first.input_token).await?;
        let accounts: Vec<Address> = claims.iter().map(|claim| program.order(claim.terms.id())).collect();
        let accounts = self.rpc.accounts(&accounts, Commitment::Confirmed, None).await?.value;
        let fills: Vec<BatchFill<'_>> = claims
            .iter()
            .zip(accounts)
            .map(|(claim, account)| BatchFill {
                terms: &claim.terms,
                filled_at: claim.filled_at,
                fill_ref: claim.fill_ref,
                is_closed: account.is_none_or(|account| account.owner != program.id),
            })
            .collect();
        let claim = program.claim_batch(&fills, token, signatures);
        let claim = claim.map_err(|error| permanent_error(&error.to_string()))?;
        self.payment_with_account(first.payee, first.input_token, token, claim).await
    }

    async fn sweep(&self, terms: &IntentTerms) -> Result<Plan, ActionError> {
        let program = self.origin(terms.origin_chain_id, terms.escrow)?;
        let source = self.source(program.deposit(terms.id()), terms.input_token).await?;
        Ok(single(program.sweep(terms, self.caller, source)))
    }

    async fn fill(&self, terms: &IntentTerms) -> Result<Plan, ActionError> {
        let program = self.destination(terms)?;
        let token = self.token_program(terms.output_token).await?;
        let source = token.map(|token| token_source(self.caller, terms.output_token, token));
        let fill = program.fill(terms, self.caller, source);
        self.payment_with_account(terms.recipient, terms.output_token, token, fill).await
    }

    /// Returns each of the tokens from the account of an address of the program.
    async fn return_tokens(
        &self,
        from: Address,
        to: Address,
        tokens: &[AnyAddress],
        give_back: impl Fn(Option<Holding>) -> Instruction,
    ) -> Result<Plan, ActionError> {
        let mut plan = Plan { is_divisible: true, ..Plan::default() };
        for token in tokens {
            let Some(token_program) = self.token_program(token.to_word()).await? else {
                plan.action.push(give_back(None));
                continue;
            };
            let mint = address(token.to_word());
            let account = associated_token_account(&from, &mint, &token_program);
            plan.accounts.extend(self.missing_account(to, mint, token_program).await?);
            plan.action.push(give_back(Some(Holding { account, mint, token_program, close: true })));
        }
        Ok(plan)
    }

    async fn pay(&self, token: &TokenId, to: &AnyAddress, amount: U256) -> Result<Plan, ActionError> {
        let (mint, to) = (token.address().to_word(), to.to_word());
        let amount =
            u64::try_from(amount).map_err(|_| permanent_error("the amount does not fit into 64 bits"))?;
        let payment = if let Some(token_program) = self.token_program(mint).await? {
            let source = associated_token_account(&self.caller, &address(mint), &token_program);
            let destination = associated_token_account(&address(to), &address(mint), &token_program);
            let data = self.account(address(mint)).await?.map(|account| account.data).unwrap_or_default();
            let decimals =
                data.get(DECIMALS_AT).ok_or_else(|| permanent_error("the token has no decimals"))?;
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
        self.payment_with_account(to, mint, token_program, payment).await
    }

    /// A payment; the recipient's token account is created first if it is missing, even for an off-curve owner.
    async fn payment_with_account(
        &self,
        to: B256,
        token: B256,
        token_program: Option<Address>,
        payment: Instruction,
    ) -> Result<Plan, ActionError> {
        let mut plan = single(payment);
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
    ) -> Result<Option<Instruction>, ActionError> {
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

    async fn source(&self, owner: Address, token: B256) -> Result<Option<TokenSource>, ActionError> {
        let token_program = self.token_program(token).await?;
        Ok(token_program.map(|token_program| token_source(owner, token, token_program)))
    }

    /// The token program of a mint; none for SOL.
    async fn token_program(&self, token: B256) -> Result<Option<Address>, ActionError> {
        if token == B256::ZERO {
            return Ok(None);
        }
        let owner = self.account(address(token)).await?.map(|account| account.owner);
        match owner.filter(|owner| [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].contains(owner)) {
            Some(owner) => Ok(Some(owner)),
            None => Err(permanent_error(&format!("{} is not a token", address(token)))),
        }
    }

    async fn account(&self, at: Address) -> Result<Option<crate::Account>, ActionError> {
        Ok(self.rpc.accounts(&[at], Commitment::Confirmed, None).await?.value.pop().flatten())
    }
}

fn single(instruction: Instruction) -> Plan {
    Plan { action: vec![instruction], ..Plan::default() }
}

fn token_source(owner: Address, token: B256, token_program: Address) -> TokenSource {
    TokenSource { account: associated_token_account(&owner, &address(token), &token_program), token_program }
}

fn address(word: B256) -> Address {
    Address::new_from_array(word.0)
}

fn permanent_error(reason: &str) -> ActionError {
    ActionError::Permanent(reason.to_owned())
}
