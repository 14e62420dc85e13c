/* Functions with many variables, which marks without optimisation touch at each
 * use. They call themselves, so that their frames add up. */

long table[65536];
struct node {
  struct node *left, *right;
  long value, weight, sum;
};

double many(double *p, double *q, long n) {
  double a = p[0], b = p[1], c = p[2], d = p[3];
  double e = q[0], f = q[1], g = q[2], h = q[3];
  long i = table[n & 65535], j = table[(n + 9) & 65535];
  double r = n ? many(p, q, n - 1) : 0;
  p[n & 3] = a * b + r;
  q[n & 3] = c * d;
  p[(n + 1) & 3] = e * f;
  q[(n + 2) & 3] = g * h;
  table[i & 65535] = j;
  return r + a + b + c + d + e + f + g + h;
}

long copies(long *p, long n) {
  long a[16];
  for (int i = 0; i < 16; ++i)
    a[i] = p[(n + i * 17) & 65535];
  a[n & 15] = n;
  long r = n ? copies(table, n - 1) + a[3] : 0;
  table[n & 65535] = r;
  return r;
}

long walk(struct node *t, long depth) {
  if (!t)
    return 0;
  t->value = depth;
  long a = walk(t->left, depth + 1);
  t->weight += a;
  long b = walk(t->right, depth + 1);
  t->sum = a + b + t->value;
  return t->sum;
}
