SELECT scan('sdk-values') ORDER BY 1;
