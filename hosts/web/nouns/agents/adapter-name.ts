import { useRead } from "../../live/calls.ts";

/** Names adapters as people know them: "Claude Code (local)". */
export const useAdapterName = (enabled = true): ((adapterType: string) => string) => {
  const { data: adapters = [] } = useRead("adapters.list", {}, { enabled });
  return (adapterType) => adapters.find(({ type }) => type === adapterType)?.label ?? adapterType;
};
