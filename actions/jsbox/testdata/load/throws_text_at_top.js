// want: {"kind":"invalid_input","reason":"threw","message":"The module threw \"no\", which is no Error while it was loaded."}
throw "no";
