import type { IconName } from "../widgets/icon.tsx";

export interface NavigationItem {
  readonly label: string;
  readonly icon: IconName;
  /** The key after `g`: of its name, and of no other item. */
  readonly letter: string;
  /** Inside of the company, or from the root. */
  readonly path: string;
  readonly inCompany: boolean;
  /** One of the five of the bottom bar on narrow screens. */
  readonly isFirst?: boolean;
}

/** The two keys that go there. */
export const keysTo = ({ letter }: NavigationItem): string => `g ${letter}`;

/** Where one can go, in the order of the sidebar. */
export const navigation: readonly NavigationItem[] = [
  { label: "Inbox", icon: "inbox", letter: "i", path: "/inbox", inCompany: false, isFirst: true },
  { label: "Pulse", icon: "activity", letter: "p", path: "/pulse", inCompany: true, isFirst: true },
  { label: "Issues", icon: "circle-dot", letter: "s", path: "/issues", inCompany: true, isFirst: true },
  { label: "Projects", icon: "folder", letter: "j", path: "/projects", inCompany: true },
  { label: "Goals", icon: "target", letter: "g", path: "/goals", inCompany: true },
  { label: "Agents", icon: "bot", letter: "a", path: "/agents", inCompany: true, isFirst: true },
  { label: "Runs", icon: "terminal", letter: "r", path: "/runs", inCompany: true },
  { label: "Approvals", icon: "shield-check", letter: "v", path: "/approvals", inCompany: true },
  { label: "Routines", icon: "calendar-clock", letter: "o", path: "/routines", inCompany: true },
  { label: "Organisation", icon: "network", letter: "n", path: "/org", inCompany: true },
  { label: "Spend", icon: "wallet", letter: "e", path: "/spend", inCompany: true },
  { label: "Activity", icon: "scroll-text", letter: "y", path: "/activity", inCompany: true },
  { label: "Secrets", icon: "key-round", letter: "c", path: "/secrets", inCompany: true },
  { label: "Settings", icon: "settings", letter: "t", path: "/settings", inCompany: true },
];
