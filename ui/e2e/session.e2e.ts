import { expect, inject, test } from 'vitest';
import { visit, visitSignedIn, withBrowser } from './browser.ts';
import { email, password, setPassword } from './pawl.ts';

withBrowser();

test('the one-time link of the first start signs in, once', async () => {
  await visit(async ({ page }) => {
    await page.goto(inject('link'));
    await page.getByText('signs you in once').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Automations' }).waitFor();
    expect(page.url()).not.toContain('link=');
    await page.goBack();
    expect(page.url()).not.toContain('link=');
  });
  await visit(async ({ page }) => {
    await page.goto(inject('link'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('used already or has expired').waitFor();
    await page.getByRole('button', { name: 'Sign in with a password' }).click();
    await page.getByLabel('E-mail').waitFor();
  });
});

test('an e-mail address and a password sign in, and lead to the page that was asked for', async () => {
  await setPassword();
  await visit(async ({ page }) => {
    await page.goto('/projects/default/runs?state=failed');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('something else');
    await page.keyboard.press('Enter');
    await page.getByText("don't belong together").waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(page.url()).toBe(`${inject('address')}/projects/default/runs?state=failed`);
  });
});

test.each(['//evil.example/', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)'])(
  'signing in never leads to %s',
  async (to) => {
    await setPassword();
    await visit(async ({ page }) => {
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Automations' }).waitFor();
      expect(page.url()).toBe(`${inject('address')}/projects/default/automations`);
    });
  },
);

test('signing out ends the session', async () => {
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Administrator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Pawl' }).waitFor();
    await page.goto('/projects/default/runs');
    await page.getByRole('heading', { name: 'Sign in to Pawl' }).waitFor();
  });
});

test('a session that ended elsewhere leads to the sign-in page and back', async () => {
  await visitSignedIn(async ({ page, context }) => {
    await page.goto('/projects/default/automations');
    await page.waitForLoadState('networkidle');
    await context.clearCookies();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
  });
});

test('a page that is looked at while its session ends asks to sign in by itself', async () => {
  await visitSignedIn(async ({ page, context }) => {
    await page.goto('/projects/default/runs?state=waiting');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await context.clearCookies();
    await page.getByLabel('E-mail').waitFor();
    expect(decodeURIComponent(page.url())).toContain('to=/projects/default/runs?state=waiting');
  });
});

test('the colours stay as chosen', async () => {
  await visitSignedIn(async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Administrator' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Automations' }).waitFor();
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
  });
});

test('an address that leads nowhere says so', async () => {
  await visitSignedIn(async ({ page }) => {
    await page.goto('/nowhere');
    await page.getByText('There is nothing at this address').waitFor();
    await page.goto('/projects/default/runs/01890000-0000-7000-8000-000000000001');
    await page.getByRole('alert').getByText('not_found').waitFor();
  });
});
