import { useRead } from "../../live/calls.ts";
import { useAddressValue } from "../../widgets/address-filter.ts";
import { Combobox } from "../../widgets/combobox.tsx";
import { useIssueOptions } from "./issue-options.ts";

/** Narrows a list to one issue: `?issue=ACM-12` of the address; the issue is found by its words. */
export const useIssueFilter = () => {
  const [reference, choose] = useAddressValue("issue");
  const { options, onType } = useIssueOptions([], true);
  const chosen = useRead("issues.get", { issueId: reference ?? "" }, { enabled: reference !== null });
  const known =
    chosen.data === undefined || options.some(({ value }) => value === chosen.data.id)
      ? options
      : [{ value: chosen.data.id, label: `${chosen.data.identifier} ${chosen.data.title}` }, ...options];
  const menu = (
    <Combobox
      label="Filter by issue"
      placeholder="Any issue"
      clearable
      options={known}
      value={chosen.data?.id ?? null}
      onType={onType}
      onChange={(id) => choose(known.find(({ value }) => value === id)?.label.split(" ")[0] ?? null)}
    />
  );
  return { id: reference, choose, menu };
};
