CREATE TABLE item(id INTEGER PRIMARY KEY, key INTEGER, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO item SELECT i, i * 7919 % 10007, printf('item %x', i * 31), i / 7.0
FROM n;
CREATE INDEX item_key ON item(key);
SELECT count(*), sum(a.id * b.id), avg(a.price)
FROM item a JOIN item b ON b.key = a.key + 1;
UPDATE item SET name = upper(name) || key WHERE id % 3 = 0;
DELETE FROM item WHERE id % 5 = 0;
SELECT key % 10, count(*), max(name), round(total(price), 3) FROM item
GROUP BY 1 ORDER BY 2, 1;
SELECT group_concat(name, ',') FROM (SELECT name FROM item ORDER BY name DESC
LIMIT 50);
SELECT id, row_number() OVER (PARTITION BY key % 7 ORDER BY price DESC)
FROM item ORDER BY 2, 1 LIMIT 40;
SELECT no_such_column FROM item;
VACUUM;
PRAGMA integrity_check;
