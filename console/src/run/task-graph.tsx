/** Graph of the tasks of a run with dependencies and states. Each task links to its latest attempt. */
import { useLayoutEffect, useMemo, useRef, useSyncExternalStore, type RefObject } from 'react';
import type { Run, TaskRun } from '../api/documents.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Duration } from '../parts/time.tsx';
import { linkTo } from '../route.ts';
import { stateLabelOf } from '../state-labels.ts';
import { listLatestAttempts } from './attempts.ts';
import { boxHeight, boxWidth, layoutGraph, type GraphLayout } from './graph-layout.ts';

const narrowScreenQuery = '(max-width: 640px)';

export function TaskGraph({ run, chosen }: { readonly run: Run; readonly chosen: TaskRun | undefined }) {
  const tasks = listLatestAttempts(run.tasks);
  const direction = useMediaQuery(narrowScreenQuery) ? 'TB' : 'LR';
  const drawing = useGraphLayout(tasks, direction);
  const view = useScrollIntoView(drawing, chosen?.task_key);
  const byKey = new Map(tasks.map((task) => [task.task_key, task]));
  return (
    <section aria-labelledby="graph-title">
      <h2 id="graph-title">Tasks</h2>
      <div className="graph" ref={view} tabIndex={0} role="group" aria-label="Task graph">
        <div className="drawing" style={{ width: drawing.width, height: drawing.height }}>
          <Edges drawing={drawing} byKey={byKey} />
          <ul>
            {drawing.boxes.map(({ key, x, y }) => {
              const task = byKey.get(key);
              return task === undefined ? null : (
                <li key={key} style={{ left: x, top: y, width: boxWidth, height: boxHeight }}>
                  <TaskBox task={task} jobId={run.job_id} isChosen={chosen?.task_key === key} />
                </li>
              );
            })}
          </ul>
        </div>
      </div>
    </section>
  );
}

/** Computes the layout only when the graph changes; states change far more often. */
function useGraphLayout(tasks: readonly TaskRun[], direction: 'LR' | 'TB'): GraphLayout {
  const shape = JSON.stringify(tasks.map(({ task_key, depends_on = [] }) => ({ task_key, depends_on })));
  return useMemo(() => layoutGraph(JSON.parse(shape), direction), [shape, direction]);
}

/** Scrolls a large graph to the selected task without scrolling the page. */
function useScrollIntoView(
  { boxes }: GraphLayout,
  key: string | undefined,
): RefObject<HTMLDivElement | null> {
  const view = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = view.current;
    const box = boxes.find((one) => one.key === key);
    if (element === null || box === undefined) return;
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = element;
    const visible =
      box.x >= left && box.x + boxWidth <= left + width && box.y >= top && box.y + boxHeight <= top + height;
    if (!visible) element.scrollTo(box.x - (width - boxWidth) / 2, box.y - (height - boxHeight) / 2);
  }, [boxes, key]);
  return view;
}

function Edges({
  drawing,
  byKey,
}: {
  readonly drawing: GraphLayout;
  readonly byKey: ReadonlyMap<string, TaskRun>;
}) {
  return (
    <svg width={drawing.width} height={drawing.height} aria-hidden="true">
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      {drawing.edges.map(({ from, to, path }) => {
        const before = byKey.get(from);
        return (
          <path
            key={JSON.stringify([from, to])}
            className={before === undefined ? '' : stateLabelOf(before.state).tone}
            d={path}
            markerEnd="url(#arrow)"
          />
        );
      })}
    </svg>
  );
}

function TaskBox({
  task,
  jobId,
  isChosen,
}: {
  readonly task: TaskRun;
  readonly jobId: number;
  readonly isChosen: boolean;
}) {
  const before = (task.depends_on ?? []).map((dependency) => dependency.task_key);
  return (
    <a
      className={`task ${stateLabelOf(task.state).tone}`}
      href={linkTo.run(jobId, task.run_id)}
      {...(isChosen && { 'aria-current': 'true' as const })}
    >
      <span className="key" title={task.task_key}>
        {task.task_key}
      </span>
      <span className="task-state">
        <StateBadge state={task.state} />
        {task.start_time > 0 && <Duration from={task.start_time} to={task.end_time} />}
      </span>
      {before.length > 0 && <span className="unseen">, after {before.join(', ')}</span>}
    </a>
  );
}

/** Returns whether a media query matches. */
function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
