import { Skeleton } from "../parts/skeleton.tsx";
import { LiveMark } from "./page.tsx";

/** In place of a screen whose code is not there yet. */
export const Waiting = () => (
  <main className="page">
    <header className="page-head">
      <LiveMark />
    </header>
    <Skeleton />
  </main>
);
