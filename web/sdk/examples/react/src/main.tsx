import { createClient, executeSwap, getTopTokens, ServiceError, type Eip1193Provider, type Step } from '@causeway/sdk';
import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createConfig, http, injected, useConnect, useConnection, WagmiProvider } from 'wagmi';
import { base, mainnet } from 'wagmi/chains';

const service = new URLSearchParams(location.search).get('service') ?? 'http://127.0.0.1:8080';
const causeway = createClient({ baseUrl: service });
const wagmi = createConfig({
  chains: [base, mainnet],
  connectors: [injected()],
  transports: { [base.id]: http(), [mainnet.id]: http() },
});
const COIN = '0x0000000000000000000000000000000000000000';
// Parameters for wallets that do not know the chain. The RPC endpoint is the sandbox's.
const chains = {
  [base.id]: { chainName: base.name, rpcUrls: [`${service}/sandbox/rpc/${base.id}`], nativeCurrency: base.nativeCurrency },
};

function Connect() {
  const { mutate: connect, error } = useConnect();
  return (
    <>
      <button onClick={() => connect({ connector: wagmi.connectors[0]! })}>Connect a wallet</button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}

/** The SDK takes the signal of the query, so that the request is aborted when the component unmounts. */
function useUsdc() {
  return useQuery({
    queryKey: ['usdc'],
    queryFn: async ({ signal }) => {
      const tokens = await getTopTokens(causeway, { chainIds: [base.id] }, { signal });
      return tokens.find(({ symbol }) => symbol === 'USDC') ?? null;
    },
  });
}

function Swap() {
  const { address, connector } = useConnection();
  const { data: usdc } = useUsdc();
  const [steps, setSteps] = useState<string[]>([]);
  const swap = useMutation({
    mutationFn: async () => {
      if (!address || !connector || !usdc) throw new Error('Connect a wallet first.');
      const wallet = (await connector.getProvider()) as Eip1193Provider;
      const ask = {
        tradeType: 'EXACT_INPUT', fromChainId: base.id, fromToken: usdc.address, toChainId: mainnet.id, toToken: COIN,
        amount: '25000000', fromAddress: address,
      };
      setSteps([]);
      return executeSwap(causeway, ask, wallet, {
        chains,
        // The price comes from the service, so the payer confirms the route before it is signed.
        confirm: ({ quote }) => window.confirm(`Swap 25 USDC for at least ${quote.minAmountOut} wei?`),
        onStep: (step) => setSteps((previous) => [...previous, ...describe(step)]),
      });
    },
  });
  if (!address) return <Connect />;
  return (
    <>
      <p>25 USDC on Base for ether on Ethereum, from {address}.</p>
      <button disabled={!usdc || swap.isPending} onClick={() => swap.mutate()}>Swap</button>
      <ol>{steps.map((step) => <li key={step}>{step}</li>)}</ol>
      {swap.data && <p role="status">Delivered by {swap.data.transactions?.fill?.txHash}.</p>}
      {swap.error && <p role="alert">{swap.error instanceof ServiceError && swap.error.code} {swap.error.message}</p>}
    </>
  );
}

/** Describes a step for the user. */
function describe(step: Step): string[] {
  if (step.type === 'built') return step.deposit.summary ?? [];
  if (step.type === 'batched') return ['Approval and deposit are one batch of the wallet.'];
  if (step.type === 'sent') return [`Sent ${step.txHash}.`];
  return step.type === 'status' ? [`The order is ${step.order.status}.`] : [];
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <WagmiProvider config={wagmi}>
      <QueryClientProvider client={new QueryClient()}>
        <h1>Swap</h1>
        <Swap />
      </QueryClientProvider>
    </WagmiProvider>
  </StrictMode>,
);
