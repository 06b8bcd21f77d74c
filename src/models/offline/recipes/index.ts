// The table of recipes. A new one is a file and a line here; the first that matches is taken.
import type { Recipe } from '../recipe.ts';
import { cli } from './cli.ts';
import { csvSummary } from './csv-summary.ts';
import { restApi } from './rest-api.ts';
import { snippet } from './snippet.ts';
import { webPage } from './web-page.ts';

export const RECIPES: readonly Recipe[] = [csvSummary, restApi, webPage, cli, snippet];
