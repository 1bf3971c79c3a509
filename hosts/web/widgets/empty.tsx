import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface EmptyProps {
  readonly icon: IconName;
  /** An explanation of what the list will hold. */
  readonly title: string;
  readonly children?: ReactNode;
  /** One button. */
  readonly action?: ReactNode;
}

/** Says what belongs here, and how it comes here. */
export const Empty = ({ icon, title, children, action }: EmptyProps) => (
  <div className="empty">
    <Icon name={icon} size={24} />
    <h2>{title}</h2>
    {children === undefined ? null : <div className="muted">{children}</div>}
    {action}
  </div>
);
