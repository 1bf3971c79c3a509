import { createContext, type ReactNode, use } from "react";
import { navigate, usePathname } from "wouter/use-browser-location";

const PathShown = createContext(location.pathname);

/** Follows the path of the address once for the whole page: a screen has hundreds of links, and each reads it. */
export const FollowPath = ({ children }: { readonly children: ReactNode }) => (
  <PathShown value={usePathname()}>{children}</PathShown>
);

/** The path shown and how to go to another, as the router asks for them. */
export const useShownPath = (): [string, typeof navigate] => [use(PathShown), navigate];
