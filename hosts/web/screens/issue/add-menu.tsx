import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from "react";
import { Icon, type IconName } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { useIssueMay } from "./issue-shown.ts";

/** Things that the menu adds to an issue; each is shown as a section once there is one. */
type Addable = "sub-issue" | "document" | "file" | "gate";

interface Asked {
  readonly asked: Addable | null;
  readonly ask: (asked: Addable | null) => void;
}

const AskedToAdd = createContext<Asked>({ asked: null, ask: () => {} });

export const AddArea = ({ children }: { readonly children: ReactNode }) => {
  const [asked, ask] = useState<Addable | null>(null);
  const value = useMemo(() => ({ asked, ask }), [asked]);
  return <AskedToAdd value={value}>{children}</AskedToAdd>;
};

/** Opens the form that adds it, once it was chosen in the menu. */
export const useAdding = (what: Addable, open: () => void): void => {
  const { asked, ask } = use(AskedToAdd);
  const current = useRef(open);
  current.current = open;
  useEffect(() => {
    if (asked !== what) return;
    ask(null);
    current.current();
  }, [asked, ask, what]);
};

/** One menu in place of sections that are empty. */
export const AddMenu = () => {
  const { ask } = use(AskedToAdd);
  const mayUpdate = useIssueMay("update").allowed;
  const mayWrite = useIssueMay("writeDocument").allowed;
  const mayAttach = useIssueMay("attach").allowed;
  const mayManage = useIssueMay("manageGates").allowed;
  const item = (may: boolean, label: string, icon: IconName, what: Addable) =>
    may ? [{ label, icon, run: () => ask(what) }] : [];
  const items = [
    ...item(mayUpdate, "Sub-issue", "circle-dot", "sub-issue"),
    ...item(mayWrite, "Document", "file-text", "document"),
    ...item(mayAttach, "File", "paperclip", "file"),
    ...item(mayManage, "Gate", "shield-check", "gate"),
  ];
  if (items.length === 0) return null;
  return (
    <div>
      <Menu
        label="Add to the issue"
        className="button small"
        button={
          <>
            <Icon name="plus" /> Add
          </>
        }
        items={items}
      />
    </div>
  );
};
