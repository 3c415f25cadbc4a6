/** Rules of cluster policies: a policy definition has one for each attribute that it limits. */
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { invalid } from '../errors.ts';
import { isRecord } from '../validation/json-object.ts';
import { quote } from '../validation/messages.ts';

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const hidden = { hidden: Type.Optional(Type.Boolean()) };
/** Fields of every rule that leaves a choice. */
const choice = { ...hidden, defaultValue: Type.Optional(Value), isOptional: Type.Optional(Type.Boolean()) };
const strict = { additionalProperties: false };

/** Schemas of the rules by type. */
const ruleSchemas = {
  fixed: Type.Object({ type: Type.Literal('fixed'), value: Value, ...hidden }, strict),
  forbidden: Type.Object({ type: Type.Literal('forbidden'), ...hidden }, strict),
  unlimited: Type.Object({ type: Type.Literal('unlimited'), ...choice }, strict),
  allowlist: Type.Object({ type: Type.Literal('allowlist'), values: Type.Array(Value), ...choice }, strict),
  blocklist: Type.Object({ type: Type.Literal('blocklist'), values: Type.Array(Value), ...choice }, strict),
  regex: Type.Object({ type: Type.Literal('regex'), pattern: Type.String(), ...choice }, strict),
  range: Type.Object(
    {
      type: Type.Literal('range'),
      minValue: Type.Optional(Type.Number()),
      maxValue: Type.Optional(Type.Number()),
      ...choice,
    },
    strict,
  ),
} as const;

type RuleType = keyof typeof ruleSchemas;
export type PolicyRule = { [Kind in RuleType]: Static<(typeof ruleSchemas)[Kind]> }[RuleType];
/** Value that a rule names. */
export type PolicyValue = Static<typeof Value>;
/** Attribute path -> rule. */
export type PolicyRules = Readonly<Record<string, PolicyRule>>;

const ruleTypes = Object.keys(ruleSchemas);

/** Paths of other services that have another name here. */
const renamedPaths: ReadonlyMap<string, string> = new Map([
  ['cluster_log_conf.type', 'cluster_log_conf.managed_fs.destination'],
  ['cluster_log_conf.path', 'cluster_log_conf.managed_fs.destination'],
]);

/**
 * Parses the definition of a policy.
 * @throws ServiceError for text that is no JSON object, an unknown type of a rule, and an invalid rule
 */
export function parsePolicyDefinition(definition: string): PolicyRules {
  const parsed = parseObject(definition);
  for (const [path, rule] of Object.entries(parsed)) checkRule(path, rule);
  return parsed as PolicyRules;
}

function parseObject(definition: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(definition);
  } catch {
    parsed = undefined;
  }
  if (!isRecord(parsed))
    throw invalid('definition is not a JSON object; it must have a rule for each attribute.');
  return parsed;
}

function checkRule(path: string, rule: unknown): void {
  const where = `definition has the attribute ${quote(path)}`;
  if (!/^[^.]+(\.[^.]+)*$/.test(path)) throw invalid(`${where}; it must be names separated by dots.`);
  const renamed = renamedPaths.get(path);
  if (renamed !== undefined) throw invalid(`${where}, which is not supported; use ${renamed}.`);
  const type = isRecord(rule) ? rule['type'] : undefined;
  if (typeof type !== 'string' || !isRuleType(type))
    throw invalid(`${where} of type ${quote(type)}; its type must be one of ${ruleTypes.join(', ')}.`);
  if (!Check(ruleSchemas[type], rule)) throw invalid(`${where}, whose rule is not a valid ${type} rule.`);
  if (Check(ruleSchemas.regex, rule)) checkPattern(where, rule.pattern);
}

function isRuleType(type: string): type is RuleType {
  return Object.hasOwn(ruleSchemas, type);
}

/** Longest pattern; a longer one is more likely to take long to match. */
const patternCharacters = 1_000;

function checkPattern(where: string, text: string): void {
  if (text.length > patternCharacters)
    throw invalid(
      `${where}, whose pattern has ${text.length} characters; at most ${patternCharacters} are allowed.`,
    );
  try {
    RegExp(text, 'u');
  } catch {
    throw invalid(`${where}, whose pattern ${quote(text)} is not a regular expression.`);
  }
}
