/** Maps symbol maps, with coordinates, and choropleth maps, with names of regions. */
import { getObject, toJsonObject, omitUndefined, isTrue, getObjects, getText } from '../json-fields.ts';
import { colorOf } from './chart-styles.ts';
import { parseNumberFormat } from './number-format.ts';
import { createFieldSet, type VisualizationInput, type WidgetDraft } from './visual.ts';

export function mapSymbolMap({ options }: VisualizationInput): WidgetDraft | undefined {
  const [latitude, longitude] = [getText(options, 'latColName'), getText(options, 'lonColName')];
  if (latitude === undefined || longitude === undefined) return undefined;
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const group = getText(options, 'classify');
  const mappings = Object.entries(getObject(options, 'groups')).flatMap(([value, option]) => {
    const color = colorOf(toJsonObject(option));
    return color === undefined ? [] : [{ value, color }];
  });
  // The shape of markers is stored with every map, and used by custom ones only.
  if (isTrue(options, 'customizeMarkers')) notes.push('its custom markers are not kept');
  const named =
    getObjects(options, 'tooltip').length > 0 ||
    isTrue(getObject(options, 'tooltip'), 'enabled') ||
    isTrue(getObject(options, 'popup'), 'enabled');
  if (named && getText(getObject(options, 'popup'), 'template') !== undefined)
    notes.push('the text of its pop-ups is not kept');
  return {
    type: 'symbol-map',
    notes,
    encodings: omitUndefined({
      coordinates: {
        latitude: { fieldName: fields.addColumn(latitude), displayName: latitude },
        longitude: { fieldName: fields.addColumn(longitude), displayName: longitude },
      },
      color:
        group === undefined
          ? undefined
          : {
              fieldName: fields.addColumn(group),
              displayName: group,
              scale: omitUndefined({
                type: 'categorical',
                mappings: mappings.length > 0 ? mappings : undefined,
              }),
            },
    }),
    fields: fields.fields,
    disaggregated: true,
  };
}

/** Property of a region that a column is compared with -> role of the column. */
const regionRoles: readonly (readonly [RegExp, string])[] = [
  [/iso|abbrev|postal|code/i, 'unit-code'],
  [/./, 'name'],
];

export function mapChoropleth({ options }: VisualizationInput): WidgetDraft | undefined {
  const [key, value] = [
    getText(options, 'keyColumn') ?? getText(options, 'countryCodeColumn'),
    getText(options, 'valueColumn'),
  ];
  if (key === undefined || value === undefined) return undefined;
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const by = getText(options, 'targetField') ?? getText(options, 'countryCodeType') ?? 'name';
  const role = regionRoles.find(([pattern]) => pattern.test(by))?.[1] ?? 'name';
  const map = getText(options, 'mapType') ?? 'countries';
  const country = /usa|united/i.test(map) ? 'United States' : /jap/i.test(map) ? 'Japan' : undefined;
  const field = { fieldName: fields.addColumn(key), type: 'field' };
  if (country === undefined && !/countr|world/i.test(map))
    notes.push(`the map ${map} is unknown; its regions are treated as countries`);
  const region =
    country === undefined
      ? { regionType: 'mapbox-v4-admin', admin0: { ...field, geographicRole: `admin0-${role}` } }
      : {
          regionType: 'mapbox-v4-admin',
          admin0: { type: 'value', value: country, geographicRole: 'admin0-name' },
          admin1: { ...field, geographicRole: `admin1-${role}` },
        };
  const colors = getObject(options, 'colors');
  const [start, end] = [getText(colors, 'min'), getText(colors, 'max')];
  const colorRamp =
    start !== undefined && end !== undefined
      ? { mode: 'custom-sequential', colors: { start, end } }
      : undefined;
  return {
    type: 'choropleth-map',
    notes,
    encodings: {
      region,
      color: {
        fieldName: fields.addColumn(value),
        displayName: value,
        scale: omitUndefined({ type: 'quantitative', colorRamp }),
        ...omitUndefined({ format: parseNumberFormat(getText(options, 'valueFormat')) }),
      },
    },
    fields: fields.fields,
    disaggregated: true,
  };
}
