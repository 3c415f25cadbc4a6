/** Maps: places by their coordinates, and regions by their names. */
import { fieldsIn, fieldsOf, given, isTrue, objectsIn, textIn } from '../reading.ts';
import { colourIn } from './chart-styles.ts';
import { numberFormat } from './formats.ts';
import { fieldSet, type Shown, type Visual } from './visual.ts';

export function symbolMap({ options }: Shown): Visual | undefined {
  const [latitude, longitude] = [textIn(options, 'latColName'), textIn(options, 'lonColName')];
  if (latitude === undefined || longitude === undefined) return undefined;
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const group = textIn(options, 'classify');
  const mappings = Object.entries(fieldsIn(options, 'groups')).flatMap(([value, option]) => {
    const color = colourIn(fieldsOf(option));
    return color === undefined ? [] : [{ value, color }];
  });
  if (textIn(options, 'iconShape') !== undefined || isTrue(options, 'customizeMarkers'))
    notes.push('markers of its own are not kept');
  const named =
    objectsIn(options, 'tooltip').length > 0 ||
    isTrue(fieldsIn(options, 'tooltip'), 'enabled') ||
    isTrue(fieldsIn(options, 'popup'), 'enabled');
  if (named && textIn(fieldsIn(options, 'popup'), 'template') !== undefined)
    notes.push('the text of its pop-ups is not kept');
  return {
    type: 'symbol-map',
    notes,
    encodings: given({
      coordinates: {
        latitude: { fieldName: fields.plain(latitude), displayName: latitude },
        longitude: { fieldName: fields.plain(longitude), displayName: longitude },
      },
      color:
        group === undefined
          ? undefined
          : {
              fieldName: fields.plain(group),
              displayName: group,
              scale: given({ type: 'categorical', mappings: mappings.length > 0 ? mappings : undefined }),
            },
    }),
    fields: fields.fields,
    disaggregated: true,
  };
}

/** Property of a region that a column is compared with -> the role of the column. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/iso|abbrev|postal|code/i, 'unit-code'],
  [/./, 'name'],
];

export function choropleth({ options }: Shown): Visual | undefined {
  const [key, value] = [
    textIn(options, 'keyColumn') ?? textIn(options, 'countryCodeColumn'),
    textIn(options, 'valueColumn'),
  ];
  if (key === undefined || value === undefined) return undefined;
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const by = textIn(options, 'targetField') ?? textIn(options, 'countryCodeType') ?? 'name';
  const role = codes.find(([pattern]) => pattern.test(by))?.[1] ?? 'name';
  const map = textIn(options, 'mapType') ?? 'countries';
  const country = /usa|united/i.test(map) ? 'United States' : /jap/i.test(map) ? 'Japan' : undefined;
  const field = { fieldName: fields.plain(key), type: 'field' };
  if (country === undefined && !/countr|world/i.test(map))
    notes.push(`the map ${map} is not known; regions are taken for countries`);
  const region =
    country === undefined
      ? { regionType: 'mapbox-v4-admin', admin0: { ...field, geographicRole: `admin0-${role}` } }
      : {
          regionType: 'mapbox-v4-admin',
          admin0: { type: 'value', value: country, geographicRole: 'admin0-name' },
          admin1: { ...field, geographicRole: `admin1-${role}` },
        };
  const colors = fieldsIn(options, 'colors');
  const [start, end] = [textIn(colors, 'min'), textIn(colors, 'max')];
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
        fieldName: fields.plain(value),
        displayName: value,
        scale: given({ type: 'quantitative', colorRamp }),
        ...given({ format: numberFormat(textIn(options, 'valueFormat')) }),
      },
    },
    fields: fields.fields,
    disaggregated: true,
  };
}
