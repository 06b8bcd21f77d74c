// A real Chromium with nothing of its own on the network. Closed after the test; so is every page.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function chromiumHere(): string {
  const found = [process.env.CHROMIUM ?? '', ...PLACES].find((path) => path && existsSync(path));
  if (found) return found;
  throw new Error(`no Chromium at ${PLACES.join(', ')}: install it, or name one in CHROMIUM`);
}

export type Look = { width?: number; height?: number; dark?: boolean; locale?: string };
export type Opened = { page: Page; context: BrowserContext; browser: Browser };

/** A page of that server. Every fault that the page reports fails the test. */
export async function openPage(url: string, look: Look = {}): Promise<Opened> {
  const browser = await chromium.launch({ executablePath: chromiumHere(), args: FLAGS });
  const faults: string[] = [];
  onTestFinished(async () => {
    await browser.close();
    expect(faults, 'faults that the page reported').toEqual([]);
  });
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1_440, height: look.height ?? 900 },
    colorScheme: look.dark ? 'dark' : 'light',
    locale: look.locale ?? 'en-GB',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A server that is away, or a route that refuses, is told on the page; the browser's own line adds nothing.
    if (message.type() === 'error' && !/Failed to load resource|net::ERR_/.test(message.text()))
      faults.push(message.text());
  });
  await page.goto(url);
  return { page, context, browser };
}
