import type { ReactNode } from "react";

/** One line of what is known of an issue. */
export const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="issue-fact">
    <div className="muted">{label}</div>
    <div>{children}</div>
  </div>
);
