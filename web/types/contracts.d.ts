/** The functions and events of the compiled contracts, as the build puts them into the pages. */
declare module "causeway:contracts" {
  export interface AbiParameter {
    name: string;
    type: string;
    indexed?: boolean;
    components?: AbiParameter[] | undefined;
  }
  export interface AbiItem {
    type: "function" | "event";
    name: string;
    inputs: AbiParameter[];
  }
  export const CONTRACTS: AbiItem[];
}
