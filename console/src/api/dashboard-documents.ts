/** Dashboard documents of the API: the fields that the console reads. */

export interface DashboardSummary {
  readonly dashboard_id: string;
  readonly display_name: string;
  /** ISO 8601. */
  readonly create_time: string;
  readonly lifecycle_state: string;
}

export interface DashboardList {
  readonly dashboards: readonly DashboardSummary[];
  readonly next_page_token?: string;
}

export interface DashboardDocument extends DashboardSummary {
  readonly path: string;
  /** JSON of a `StoredDashboard`. */
  readonly serialized_dashboard: string;
  readonly warnings: readonly string[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

export interface StoredDashboard {
  readonly datasets: readonly { readonly name: string; readonly displayName: string }[];
  readonly pages: readonly {
    readonly name: string;
    readonly displayName: string;
    readonly layout: readonly LayoutItem[];
  }[];
}

export interface LayoutItem {
  readonly widget: Widget;
  readonly position: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
}

export interface WidgetQuery {
  readonly name: string;
  readonly query: {
    readonly datasetName: string;
    readonly fields?: readonly { readonly name: string }[];
    readonly parameters?: readonly { readonly keyword: string }[];
  };
}

export interface Widget {
  readonly name: string;
  readonly queries?: readonly WidgetQuery[];
  readonly spec?: {
    readonly widgetType: string;
    readonly encodings: JsonObject;
    readonly frame: { readonly showTitle: boolean; readonly title: string; readonly description?: string };
    readonly mark?: JsonObject;
    readonly selection?: { readonly defaultSelection: Selection };
  };
  readonly multilineTextboxSpec?: { readonly lines: readonly string[] };
}

export interface Selection {
  readonly values?: { readonly dataType: string; readonly values: readonly { readonly value: string }[] };
  readonly range?: {
    readonly dataType: string;
    readonly min: { readonly value: string };
    readonly max: { readonly value: string };
  };
}

/** Result of a dashboard query. */
export interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly truncated: boolean;
}
