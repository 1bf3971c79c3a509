import { useWaitOfPart } from "../live/part-of-screen.ts";

/** Where rows will stand; seen only after 200 ms, so that what comes fast does not flicker. */
export const Skeleton = (props: { readonly rows?: number }) => {
  useWaitOfPart(true);
  return <SkeletonBars {...props} />;
};

/** The look of it alone. */
export const SkeletonBars = ({ rows = 8 }: { readonly rows?: number }) => (
  <div className="skeleton" role="status">
    <span className="only-read">Loading</span>
    {Array.from({ length: rows }, (_, at) => (
      <div key={at} className="skeleton-bar" aria-hidden="true" />
    ))}
  </div>
);
